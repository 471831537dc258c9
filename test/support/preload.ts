// Loaded before every test file. Tests never read the caller's configuration.
for (const name of Object.keys(process.env)) {
  if (name.startsWith("STITHY_") && name !== "STITHY_HISTORIES") {
    delete process.env[name];
  }
}
