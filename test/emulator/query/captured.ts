import { LATENCY, TRANSACTIONS } from './client.ts'

/** An answer of a real system of version 4.3, shortened. */
export interface Captured {
  readonly name: string
  readonly bucket: string
  readonly measurement: string
  readonly Datatypes: readonly string[]
  readonly Columns: readonly string[]
  readonly Values: readonly (readonly string[])[]
}

const START = '2026-07-31T08:32:22.801998531Z'
const STOP = '2026-07-31T08:38:22.801998531Z'
const NODES = ['9e472c37-1b26-41bf-8cdb-6455afb2d78a', 'e0272bb6-7fa7-45fb-85fe-5762ba5eb8a8'] as const
const HOSTS = ['supr01-r01', 'supr01-r02'] as const

const time = (clock: string) => `2026-07-31T${clock}Z`
const types = (value: 'double' | 'long', tags: number) => [
  'long',
  ...Array<string>(3).fill('dateTime:RFC3339'),
  value,
  ...Array<string>(2 + tags).fill('string'),
]
const columns = (...tags: string[]) => [
  'table',
  '_start',
  '_stop',
  '_time',
  '_value',
  '_field',
  '_measurement',
  ...tags,
]
const cpu = (table: string, clock: string, value: string, node: 0 | 1) => {
  return [
    table,
    START,
    STOP,
    time(clock),
    value,
    'usage_user',
    'cpu',
    'cpu-total',
    HOSTS[node],
    NODES[node],
    'system',
  ]
}
const mem = (table: string, field: string, value: string) => {
  return [table, START, STOP, time('08:35:06'), value, field, 'mem', HOSTS[0], NODES[0], 'system']
}
const net = (table: string, field: string, value: string, name: string) => {
  return [table, START, STOP, time('08:35:01'), value, field, 'net', HOSTS[0], name, NODES[0], 'system']
}
const main = (table: string, clock: string, value: string, field: string, node: 0 | 1, id: string[] = []) => {
  const measurement = id.length === 0 ? TRANSACTIONS : LATENCY
  const tags = [HOSTS[node], ...id, NODES[node], 'statDataHead', 'dashboard']
  return [table, START, STOP, time(clock), value, field, measurement, ...tags]
}
const read = (table: string, field: string, value: string) => {
  return main(table, '08:36:56', value, field, 0, ['ttfb_read'])
}

/** Typed by hand from published captures. Values are those of the captures. */
export const CAPTURED: readonly Captured[] = [
  {
    name: 'cpu',
    bucket: 'monitoring_op',
    measurement: 'cpu',
    Datatypes: types('double', 4),
    Columns: columns('cpu', 'host', 'node_id', 'tag'),
    Values: [cpu('0', '08:35:09', '5.119769342229881', 0), cpu('1', '08:35:07', '4.370401774443806', 1)],
  },
  {
    name: 'mem: one list of types, although values have two',
    bucket: 'monitoring_op',
    measurement: 'mem',
    Datatypes: types('long', 3),
    Columns: columns('host', 'node_id', 'tag'),
    Values: [
      mem('0', 'available', '111560339456'),
      mem('1', 'available_percent', '55.77467771595861'),
      mem('2', 'buffered', '154865664'),
      mem('3', 'cached', '85452005376'),
      mem('4', 'free', '40105025536'),
      mem('5', 'total', '200019693568'),
      mem('6', 'used', '74307796992'),
      mem('7', 'used_percent', '37.15024039207311'),
    ],
  },
  {
    name: 'net',
    bucket: 'monitoring_op',
    measurement: 'net',
    Datatypes: types('long', 4),
    Columns: columns('host', 'interface', 'node_id', 'tag'),
    Values: [
      net('0', 'bytes_recv', '126564131423', 'private.4'),
      net('1', 'bytes_recv', '34804069544351', 'public'),
      net('2', 'bytes_recv', '33090158818787', 'public.data'),
      net('3', 'bytes_recv', '229613423', 'public.repl'),
      net('4', 'bytes_sent', '60439756105', 'private.4'),
      net('5', 'bytes_sum', '187003887528', 'private.4'),
      net('6', 'drop_in', '360011', 'public'),
      net('7', 'drop_out', '31', 'private.4'),
      net('8', 'speed', '50000', 'private.4'),
    ],
  },
  {
    name: 'transactions: a node that never failed a request has no failed series',
    bucket: 'monitoring_main',
    measurement: TRANSACTIONS,
    Datatypes: types('long', 4),
    Columns: columns('host', 'node_id', 'process', 'tag'),
    Values: [
      main('0', '08:36:56', '3671325', 'failed_request_counter', 0),
      main('1', '08:36:56', '100477802', 'succeed_request_counter', 0),
      main('2', '08:35:00', '7069723', 'succeed_request_counter', 1),
    ],
  },
  {
    name: 'latency: bounds are sorted as text',
    bucket: 'monitoring_main',
    measurement: LATENCY,
    Datatypes: types('long', 5),
    Columns: columns('host', 'id', 'node_id', 'process', 'tag'),
    Values: [
      read('0', '+Inf', '12390925'),
      read('1', '0.0', '1534357'),
      read('2', '1.0', '2315640'),
      read('3', '111.6295328521717', '12371763'),
      read('4', '12461.15260479408', '12390913'),
      read('5', '23.183877401213103', '12178798'),
      read('6', '2588.0054039994393', '12390850'),
      read('7', '4.814963904455889', '8637957'),
      read('8', '537.4921713544796', '12387469'),
      read('9', '59999.999999999985', '12390925'),
    ],
  },
]

/** The answer for a measurement that does not exist, or without a point in the window. */
export const CAPTURED_EMPTY = '{"Series":[{"Datatypes":null,"Columns":null,"Values":null}]}'
