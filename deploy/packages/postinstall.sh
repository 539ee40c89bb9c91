#!/bin/sh
# After an installation or an upgrade. It starts nothing: a new configuration is an example.
set -e
command -v systemctl > /dev/null || exit 0
folder=/usr/lib/systemd/system/sds-exporter.service.d
version=$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
if [ "${version:-0}" -lt 247 ]; then
  mkdir -p $folder
  cp /usr/libexec/sds-exporter/app/deploy/systemd/older-systemd.conf $folder/
  chgrp sds-exporter /etc/sds-exporter/password
  chmod 0640 /etc/sds-exporter/password
else
  rm -rf $folder
fi
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
# If it runs; a configuration that the new version refuses does not make the upgrade fail.
systemctl try-restart sds-exporter.service || true
