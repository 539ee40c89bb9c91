#!/bin/sh
# Creates the user before files are unpacked, because the configuration belongs to its group.
set -e
getent group sds-exporter > /dev/null || groupadd --system sds-exporter
getent passwd sds-exporter > /dev/null || useradd --system --gid sds-exporter --home-dir / --no-create-home \
  --shell /usr/sbin/nologin --comment 'Prometheus exporter for Dell ECS and ObjectScale' sds-exporter
