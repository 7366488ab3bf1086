#!/usr/bin/env node
import { statSync } from 'node:fs'

const time = (path) => statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0
// In a checkout that was compiled after it was bundled, the compiled files are the current ones.
const bundled = time('../dist/bundle/main.js') > time('../tsconfig.tsbuildinfo')
await import(bundled ? '../dist/bundle/main.js' : '../dist/main.js')
