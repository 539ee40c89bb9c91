#!/bin/sh
# dpkg passes `remove` or `upgrade`, rpm the number of versions that remain.
case $1 in remove | 0) ;; *) exit 0 ;; esac
if [ -d /run/systemd/system ]; then systemctl disable --now sds-exporter.service || true; fi
