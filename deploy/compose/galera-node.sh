#!/bin/sh
# Start a node of the cluster from where it stood: after a kill the position is in InnoDB, and --wsrep-recover reads it.
# A node that does not know its position would fetch the whole database again, or refuse to begin a cluster.
set -eu
position=""
if [ -d /var/lib/mysql/mysql ]; then
    log=$(mariadbd --user=mysql --wsrep-recover --disable-log-error 2>&1 || true)
    position=$(printf '%s\n' "$log" | sed -n 's/.*WSREP: Recovered position: *//p' | tail -n 1)
fi
exec docker-entrypoint.sh mariadbd ${position:+"--wsrep-start-position=$position"} "$@"
