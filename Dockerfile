# Make the executable first, for the machine of the image:
#   bun run build --target bun-linux-x64 && docker build -t stithy .
FROM debian:bookworm-slim

RUN useradd --uid 10001 --no-create-home --home-dir /data stithy && install -d -o stithy -g stithy /data
COPY dist/stithy /usr/local/bin/stithy

USER stithy
# For files that the server can make again, such as the unpacked PostgreSQL.
ENV XDG_CACHE_HOME=/data/cache
VOLUME /data
EXPOSE 3000 2222
ENTRYPOINT ["stithy"]
CMD ["serve", "--data", "/data/forge", "--host", "0.0.0.0"]
