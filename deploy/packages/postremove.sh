#!/bin/sh
# The user remains, because files may belong to it.
case $1 in remove | purge | 0) ;; *) exit 0 ;; esac
rm -rf /usr/lib/systemd/system/sds-exporter.service.d
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
