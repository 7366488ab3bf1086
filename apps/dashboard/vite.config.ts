import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressFiles } from './scripts/compress-files.mjs'

// Relative addresses: the playground also runs from any static host.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), compressFiles()],
  resolve: { conditions: ['source', 'browser', 'module', 'import', 'default'] },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    rollupOptions: {
      input: {
        index: resolve(import.meta.dirname, 'index.html'),
        playground: resolve(import.meta.dirname, 'playground.html'),
      },
    },
  },
  server: {
    proxy: { '/v1': 'http://127.0.0.1:8642', '/demo': 'http://127.0.0.1:8642', '/page': 'http://127.0.0.1:8642' },
  },
})
