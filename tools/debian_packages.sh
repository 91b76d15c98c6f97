#!/bin/sh
# Install the programs that the tests use, if they are missing: debian_packages.sh sqlite,postgresql,mariadb
# Engines of make faults only: galera, patroni. Of make test-all only: rabbitmq.
#
# The tests start their own servers of these engines, on private ports and in temporary folders, open pages in Chromium,
# and complete commands in zsh and fish. This script starts no system service, and leaves servers that run alone.
set -eu

missing=""
for program in sqlite3 chromium zsh fish; do
    command -v $program >/dev/null || missing="$missing $program"
done
case ",$1," in
*,postgresql,* | *,patroni,*)
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
    PATH=$PATH:/usr/sbin command -v pgbouncer >/dev/null || missing="$missing pgbouncer"
    ;;
esac
case ",$1," in
*,mariadb,* | *,galera,*)
    PATH=$PATH:/usr/sbin command -v mariadbd >/dev/null || missing="$missing mariadb-server-core"
    command -v my_print_defaults >/dev/null || missing="$missing mariadb-client-core"
    command -v mariadb-dump >/dev/null || missing="$missing mariadb-client"
    # Three nodes on this machine; the scripts that bring a node up to date are in the package of the server.
    [ -e /usr/lib/galera/libgalera_smm.so ] || missing="$missing galera-4"
    command -v wsrep_sst_rsync >/dev/null || missing="$missing mariadb-server"
    command -v rsync >/dev/null || missing="$missing rsync"
    ;;
esac
case ",$1," in
*,rabbitmq,*) [ -e /usr/lib/rabbitmq/bin/rabbitmq-server ] || missing="$missing rabbitmq-server" ;;
esac
case ",$1," in
*,patroni,*) command -v etcd >/dev/null || missing="$missing etcd-server" ;;
esac
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ]; then
    echo "These packages are missing, and installing them needs root:$missing" >&2
    echo "Install them, then run this command again:" >&2
    echo "    sudo apt-get install --no-install-recommends$missing" >&2
    echo "make test ENGINE=sqlite needs no database servers." >&2
    exit 1
fi

echo "==> installing Debian packages:$missing"
# PostgreSQL's package creates a cluster called main and starts it. With this setting, it does not start it. The setting
# is read from this folder for this installation only; the configuration of the machine stays as it is.
settings=$(mktemp -d)
# The packages of PgBouncer, MariaDB and etcd start a service, unless this file forbids it. It is removed at the end.
policy=""
[ -e /usr/sbin/policy-rc.d ] || policy=/usr/sbin/policy-rc.d
trap 'rm -rf "$settings" $policy' EXIT
[ -z "$policy" ] || { printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"; }
chmod 755 "$settings"
echo "start_conf = 'manual'" >"$settings/createcluster.conf"
export DEBIAN_FRONTEND=noninteractive PGSYSCONFDIR="$settings"
apt-get -q update
# shellcheck disable=SC2086
apt-get -q install --yes --no-install-recommends $missing
# These services must not start at the next boot either.
for service in pgbouncer mariadb etcd; do
    case "$missing " in
    *"$service "* | *"$service-server "*) systemctl disable $service >/dev/null 2>&1 || true ;;
    esac
done
