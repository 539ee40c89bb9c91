/**
 * Passes connections to exporters in turn, as the Service of Kubernetes does, until it is stopped.
 *
 *   node service.ts LISTEN-ADDRESS EXPORTER…
 */
import { startService } from '../../test/deploy/kubernetes/probes_setup.ts'

const [address = '', ...exporters] = process.argv.slice(2)
const service = await startService(address, exporters)
process.stdout.write(`listening on ${service.address}\n`)
