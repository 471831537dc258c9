/** The one role and the one database that the server is made with. */
export const role = "stithy";
/** It listens on no TCP port; the number is part of the socket's name. */
export const port = 5432;

/**
 * The server's configuration file. Memory is kept modest, as a forge for a few people shares its machine:
 * no parallel workers, no replication, reads and writes by the session itself instead of by three I/O processes.
 * `ALTER SYSTEM` changes any of it.
 */
export function configurationFile(durable: boolean): string {
  const settings: Record<string, string | number> = {
    listen_addresses: "",
    port,
    unix_socket_permissions: "0700",
    max_connections: 40,
    superuser_reserved_connections: 2,
    reserved_connections: 0,
    // With less, what a search for a word reads does not fit; most else takes the same time: see docs/internals/memory.md.
    shared_buffers: "24MB",
    work_mem: "8MB",
    maintenance_work_mem: "32MB",
    autovacuum_work_mem: "16MB",
    effective_cache_size: "512MB",
    huge_pages: "off",
    max_worker_processes: 2,
    max_parallel_workers: 0,
    max_parallel_workers_per_gather: 0,
    max_parallel_maintenance_workers: 0,
    max_logical_replication_workers: 0,
    // Else each checkpoint writes a new file, and on a full disk the server ends for it.
    max_active_replication_origins: 0,
    autovacuum_worker_slots: 2,
    autovacuum_max_workers: 2,
    // Each look whether there is something to do takes 50 ms of CPU: every minute it is most of what an idle server takes.
    autovacuum_naptime: "3min",
    io_method: "sync",
    jit: "off",
    wal_level: "minimal",
    max_wal_senders: 0,
    // The template's copy would include log files that an ephemeral server kept for reuse.
    min_wal_size: durable ? "32MB" : "2MB",
    wal_recycle: durable ? "on" : "off",
    wal_init_zero: durable ? "on" : "off",
    max_wal_size: "256MB",
    random_page_cost: 1.1,
    timezone: "UTC",
    log_timezone: "UTC",
    lc_messages: "C",
    logging_collector: "off",
    log_destination: "stderr",
    log_line_prefix: "",
    // A statement's own error goes to the client that sent it, and may quote what must not be in a log.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
    fsync: durable ? "on" : "off",
    synchronous_commit: durable ? "on" : "off",
    full_page_writes: durable ? "on" : "off",
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join("");
}

/** Only the unix socket, only as a system user of the list. */
export const hostFile = "local all all peer map=stithy\n";

/** Which system users may be the one role. */
export function identityFile(systemUsers: readonly string[]): string {
  return systemUsers.map((name) => `stithy "${name.replaceAll('"', '""')}" ${role}\n`).join("");
}
