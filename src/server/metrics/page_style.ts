/** Colours have a contrast of at least 4.5 to 1 on their ground, in both schemes. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #fff; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de;
  --accent: #0b5cad; --on-accent: #fff; --danger: #b42318; --on-danger: #fff;
  --bad-ground: #fdecea; --good-ground: #e9f6ec; --good: #1a6b34;
  font: 16px/1.5 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --card: #1d2127; --text: #e8ebee; --quiet: #a5adb7; --line: #3a424c;
    --accent: #6cb0ff; --on-accent: #0b1420; --danger: #ff8478; --on-danger: #2a0703;
    --bad-ground: #3a1c1a; --good-ground: #16301f; --good: #7fd69a;
  }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text) }
main { max-width: 52rem; margin: 0 auto; padding: 1.25rem 1rem 3rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .25rem 0 0 }
h2 { font-size: 1.15rem; margin: 0 }
p { margin: .5rem 0 }
.quiet { color: var(--quiet) }
[hidden] { display: none !important }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 1rem 0 }
.fields { display: grid; gap: .9rem; max-width: 26rem }
label, legend { font-weight: 600; padding: 0 }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0 }
fieldset label { display: flex; gap: .5rem; align-items: center; font-weight: 400; min-height: 2.25rem }
input:not([type=radio]), select {
  display: block; width: 100%; margin-top: .25rem; padding: .5rem .6rem; min-height: 2.75rem;
  font: inherit; font-weight: 400; color: inherit; background: var(--ground); border: 1px solid var(--quiet); border-radius: .375rem;
}
a { color: var(--accent) }
input[aria-invalid=true] { border-color: var(--danger); border-width: 2px }
button {
  font: inherit; font-weight: 600; padding: .5rem 1rem; min-height: 2.75rem; cursor: pointer;
  color: var(--accent); background: transparent; border: 1px solid currentColor; border-radius: .375rem;
}
button.main { color: var(--on-accent); background: var(--accent); border-color: var(--accent) }
button.danger { color: var(--danger) }
button.danger.main { color: var(--on-danger); background: var(--danger); border-color: var(--danger) }
button:disabled { opacity: .6; cursor: progress }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.row { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; justify-content: space-between }
form { margin-top: 1rem }
dialog form { margin-top: 0 }
.said { margin: 1rem 0; border-left: 4px solid var(--danger); background: var(--bad-ground); padding: .6rem .9rem; border-radius: .25rem }
.said.good { border-color: var(--good); background: var(--good-ground) }
.said p { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap }
ul { list-style: none; margin: 1rem 0 0; padding: 0 }
li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between;
  border-top: 1px solid var(--line); padding: .75rem 0 }
li > div { flex: 1 1 16rem; min-width: 0 }
.name { font-weight: 600; overflow-wrap: anywhere; white-space: pre-wrap }
.id { font: .85rem/1.4 ui-monospace, monospace; color: var(--quiet); overflow-wrap: anywhere }
dialog {
  width: min(34rem, calc(100vw - 2rem)); padding: 1.25rem; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: .5rem;
}
dialog::backdrop { background: rgb(0 0 0 / 55%) }
dialog .row { justify-content: flex-end; margin-top: 1rem }
.failure { flex: 1 0 100%; min-width: 0; margin: 0; color: var(--danger); overflow-wrap: anywhere }
.error { color: var(--danger); font-weight: 600; margin: .4rem 0 0 }
`
