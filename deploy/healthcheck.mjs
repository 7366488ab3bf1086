// Whether the service of this container can decide and write: exit code 0 or 1.

const port = process.env.PRIMO_PORT || '8642'
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2500) })
  process.exitCode = ok ? 0 : 1
} catch {
  process.exitCode = 1
}
