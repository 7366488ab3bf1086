// The API reference as the page looks: its name and mark, its colours, and the way back to it.

import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="20" height="20"><path d="M1 13 6 7l4 3 5-8" fill="none" stroke="#3538cd" stroke-width="2.2" stroke-linejoin="round"/></svg>'

const STYLE = `
.swagger-ui .topbar { display: none; }
.primo-bar { display: flex; gap: 12px; align-items: center; padding: 12px 24px; border-bottom: 1px solid #e1e5ea; background: #fff;
  font: 16px/24px Inter, system-ui, sans-serif; color: #56606c; }
.primo-bar a { display: flex; gap: 8px; align-items: center; font-weight: 680; color: #171c22; text-decoration: none; }
.primo-bar a:last-child { margin-left: auto; font-weight: 540; color: #3538cd; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag { font-family: Inter, system-ui, sans-serif; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .btn.authorize { color: #3538cd; border-color: #3538cd; }
.swagger-ui .btn.authorize svg { fill: #3538cd; }
`

/** Puts a bar with the way back above; the page is where the reference is, without its last part. */
const BAR = `
const home = location.pathname.replace(/docs(\\/.*)?$/, '')
const bar = document.createElement('header')
bar.className = 'primo-bar'
bar.innerHTML = '<a>${ICON}Primo</a><span>API reference</span><a>Back to the page</a>'
for (const link of bar.querySelectorAll('a')) link.href = home
document.body.prepend(bar)
`

/** Served under a path or at the root (''). */
export const referenceUnder = (basePath: string): FastifySwaggerUiOptions => ({
  routePrefix: '/docs',
  staticCSP: true,
  ...(basePath === '' ? {} : { indexPrefix: basePath }),
  theme: {
    title: 'Primo API reference',
    css: [{ filename: 'primo.css', content: STYLE }],
    js: [{ filename: 'primo.js', content: BAR }],
    favicon: [{ filename: 'primo.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: Buffer.from(ICON) }],
  },
})
