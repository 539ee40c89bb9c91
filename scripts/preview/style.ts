/** Width of the page, and height and gap of grid cells as in Grafana, in pixels. */
export const PAGE_WIDTH = 1600
export const CELL_HEIGHT = 30
export const GAP = 8

export const STYLE = `
* { box-sizing: border-box; margin: 0 }
body { width: ${PAGE_WIDTH}px; padding: 16px; background: #111217; color: #ccccdc; font: 13px/1.4 Inter, "DejaVu Sans", sans-serif }
header { display: flex; align-items: baseline; gap: 16px; padding-bottom: 6px }
h1 { font-size: 21px; font-weight: 500; color: #fff }
.note { margin-left: auto; color: #9fa7b3; font-size: 12px }
.chosen { color: #9fa7b3; padding-bottom: 10px }
.chosen b { color: #ccccdc; font-weight: 500; padding-right: 14px }
h2 { font-size: 15px; font-weight: 500; padding: 10px 2px 6px }
h2 small { color: #9fa7b3; font-weight: 400 }
section { position: relative }
article { position: absolute; overflow: hidden; background: #181b1f; border: 1px solid #25292f; border-radius: 3px; padding: 6px 8px }
h3 { font-size: 13px; font-weight: 500; height: 22px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
.empty, .fault { display: flex; height: calc(100% - 22px); align-items: center; justify-content: center; text-align: center; color: #9fa7b3 }
.fault { color: #f2495c; font-size: 12px }
svg text { fill: #9fa7b3; font-size: 11px }
svg { display: block }
.grid { stroke: #2a2e35; stroke-width: 1 }
i { display: inline-block; width: 14px; height: 4px; border-radius: 2px; margin-right: 7px; vertical-align: middle }
table { border-collapse: collapse; width: 100% }
.legend { font-size: 11.5px; table-layout: auto }
.legend td { text-align: right; height: 19px; padding: 0 6px; white-space: nowrap }
.legend th { text-align: left; font-weight: 400; max-width: 1px; width: 99%; overflow: hidden; white-space: nowrap; text-overflow: ellipsis }
.legend .head td, .legend .head th { color: #5794f2 }
.data th { text-align: left; color: #6e9fff; font-weight: 500; padding: 0 8px; height: 27px; border-bottom: 1px solid #2a2e35; white-space: nowrap }
.data td { padding: 0 8px; height: 27px; border-bottom: 1px solid #22252b; white-space: nowrap }
.data td.link { color: #6e9fff }
.lcd { display: flex; align-items: center; gap: 8px }
.lcd em, .bar em { flex: 1; height: 14px; background: #22252b; min-width: 50px }
.lcd u, .bar u { display: block; height: 100% }
.lcd b { font-weight: 500 }
.figures { display: flex; height: calc(100% - 22px); gap: 4px }
.figure { position: relative; flex: 1; min-width: 0; display: flex; flex-direction: column; justify-content: center; align-items: center; border-radius: 3px }
.figure b { font-weight: 500; line-height: 1.1; text-align: center; position: relative }
.figure small { color: inherit; opacity: .8; white-space: nowrap }
.spark { position: absolute; inset: 0 }
.bar { display: flex; align-items: center; gap: 10px; margin-bottom: 4px }
.bar span { width: 34%; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; text-align: right }
.bar em { height: 80% } .bar b { width: 20%; font-weight: 500 }
.pie { display: flex; align-items: center } .pie ul, .states { list-style: none; padding: 0 }
.states { display: flex; gap: 18px; padding-left: 170px } .states i, .pie i { height: 10px; width: 10px }
`
