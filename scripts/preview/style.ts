/** Height and gap of grid cells and padding of the page as in Grafana, in pixels. */
export const CELL_HEIGHT = 30
export const GAP = 8
export const PADDING = 16

/** The style of a page of this width in pixels. */
export const styleOf = (width: number): string => `
* { box-sizing: border-box; margin: 0 }
body { width: ${width}px; padding: ${PADDING}px; background: #111217; color: #ccccdc; font: 13px/1.4 Inter, "DejaVu Sans", sans-serif }
header { display: flex; align-items: baseline; gap: 16px; padding-bottom: 6px }
h1 { font-size: 21px; font-weight: 500; color: #fff }
.note { margin-left: auto; color: #9fa7b3; font-size: 12px }
.chosen { color: #9fa7b3; padding-bottom: 10px }
.chosen b { color: #ccccdc; font-weight: 500; padding-right: 14px }
h2 { font-size: 15px; font-weight: 500; padding: 10px 2px 6px }
h2 small { color: #9fa7b3; font-weight: 400 }
section { position: relative }
article { position: absolute; overflow: hidden; background: #181b1f; border: 1px solid #25292f; border-radius: 3px; padding: 6px 8px }
h3 { font-size: 14px; font-weight: 500; display: inline-block; max-width: calc(100% - 40px); height: 30px; line-height: 22px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; vertical-align: top }
.about { padding-left: 8px; color: #9fa7b3 }
.beside { display: flex } .beside > div { flex: 1; min-width: 0; overflow: hidden }
.pages { text-align: center; color: #9fa7b3; padding-top: 8px }
svg text.band { font-size: 12px; font-weight: 500 }
.empty, .fault { display: flex; height: calc(100% - 32px); align-items: center; justify-content: center; text-align: center; color: #9fa7b3 }
.fault { color: #f2495c; font-size: 12px }
svg text { fill: #9fa7b3; font-size: 11px }
svg { display: block }
.grid { stroke: #2a2e35; stroke-width: 1 }
i { display: inline-block; width: 14px; height: 4px; border-radius: 2px; margin-right: 7px; vertical-align: middle }
table { border-collapse: collapse; width: 100% }
.legend { font-size: 11.5px; table-layout: auto }
div.legend { max-height: 35%; overflow: hidden; padding-left: 6px }
.legend .entry { display: inline-block; margin-right: 10px; white-space: nowrap }
.legend td { text-align: right; height: 19px; padding: 0 6px; white-space: nowrap }
.legend th { text-align: left; font-weight: 400; max-width: 1px; width: 99%; overflow: hidden; white-space: nowrap; text-overflow: ellipsis }
.legend .head td, .legend .head th { color: #5794f2 }
.data { table-layout: fixed }
.data th { text-align: left; color: #9fa7b3; font-weight: 500; padding: 6px; height: 36px; border: 1px solid #2a2e35; border-top: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
.data td { padding: 6px; height: 36px; border: 1px solid #22252b; font-size: 14px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
.data td.link { color: #6e9fff } .data td.number { text-align: right }
.gauge { display: flex; align-items: center; gap: 8px }
.gauge em { flex: 1; height: 16px; background: #22252b; min-width: 50px }
.gauge u { display: block; height: 100% }
.gauge b { font-weight: 400 }
.figures { display: flex; height: calc(100% - 32px); gap: 4px }
.figure { min-width: 0; overflow: hidden; display: flex; flex-direction: column; justify-content: center; align-items: center; border-radius: 3px }
.figure b { font-weight: 500; line-height: 1.2; text-align: center }
.figure small { line-height: 1.2; text-align: center }
.states { list-style: none; padding: 0 0 0 230px; display: flex; gap: 18px } .states i { height: 10px; width: 10px }
`
