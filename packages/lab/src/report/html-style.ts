// The look of the report page: light and dark by the reader's setting, from phone to wide screen, and on paper.

import { darkTheme, lightTheme, themeVariables } from './series-style.js'

export const reportStyle = `
:root { ${themeVariables(lightTheme)}; --card: #f6f7f9; --line: #dde1e6; color-scheme: light dark }
@media (prefers-color-scheme: dark) { :root { ${themeVariables(darkTheme)}; --card: #1b2027; --line: #323a44 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', 'DejaVu Sans', sans-serif }
main, header, footer { max-width: 920px; margin: 0 auto; padding: 0 20px }
header { padding-top: 36px }
h1, h2, h3, p, li { overflow-wrap: anywhere }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .6rem }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem }
h3 { font-size: 1rem; margin: 1.8rem 0 .4rem }
.lead { font-size: 1.15rem; margin: 0 0 .3rem } dl { margin-top: 1.2rem }
.findings { padding-left: 1.2rem } .findings li { margin: .25rem 0 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.2rem; margin-bottom: 0;
  padding: 14px 18px; background: var(--card); border-radius: 8px }
dt { color: var(--muted) } dd { margin: 0; overflow-wrap: anywhere }
.chip { white-space: nowrap; margin-right: 1em } .chip svg, th svg { vertical-align: middle; margin-right: .45em }
.table { overflow-x: auto; margin: .4rem 0 }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; min-width: 100% }
th, td { padding: .38rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line) }
thead th { color: var(--muted); font-weight: 500; border-bottom-color: var(--muted); vertical-align: bottom; white-space: normal; min-width: 3.5em }
tbody th { font-weight: 500 }
th:first-child { text-align: left; padding-left: 0; position: sticky; left: 0; background: var(--page) }
tr.strong td, tr.strong th { font-weight: 700 }
.note, figcaption { color: var(--muted); font-size: .88rem }
figure { margin: 2rem 0 0 } figure svg { display: block; width: 100%; height: auto }
.narrow { display: none } figcaption { margin-top: .3rem; padding: 0 16px }
pre { overflow-x: auto; padding: 12px 16px; background: var(--card); border-radius: 8px; font-size: .85rem }
footer { margin-top: 3rem; padding-bottom: 3rem; border-top: 1px solid var(--line) }
@media (max-width: 620px) {
  .wide { display: none } .narrow { display: block; max-width: 480px } main, header, footer { padding: 0 14px } header { padding-top: 22px }
  thead th { white-space: nowrap } tbody th:first-child { white-space: normal; min-width: 8em; max-width: 44vw; overflow-wrap: anywhere }
  figure { margin-left: -14px; margin-right: -14px } dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .5rem }
}
@media (min-width: 1000px) { .table { width: max-content; min-width: 100%; max-width: calc(50vw + 420px) } }
@media (min-width: 1500px) {
  .plots { display: grid; grid-template-columns: 1fr 1fr; gap: 0 32px; width: min(1720px, 94vw); margin-left: calc(440px - min(860px, 47vw)) }
}
@media print { figure, table { break-inside: avoid } }
`
