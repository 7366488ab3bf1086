// A kernel module made ready: its functions, and its memory as doubles. Where there is no WebAssembly (or a page may
// not compile any) there is none, and the callers' plain kernels do the work; the bits are the same.

interface WasmMemory {
  readonly buffer: ArrayBuffer
  readonly grow: (pages: number) => number
}

export interface WasmInstance<Kernels> {
  readonly kernels: Kernels
  /** The memory as doubles, at least this many; earlier views are void when it had to grow. */
  readonly cells: (count: number) => Float64Array
}

/** The part of the global `WebAssembly` in use, which plain ECMAScript typings do not have. */
interface Compiler {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

const PAGE = 65_536

/** null: this machine has none. */
export function wasmInstance<Kernels>(bytes: () => Uint8Array): WasmInstance<Kernels> | null {
  const compiler = (globalThis as { readonly WebAssembly?: Compiler }).WebAssembly
  if (compiler === undefined) return null
  let kernels: Kernels & { readonly memory: WasmMemory }
  try {
    kernels = new compiler.Instance(new compiler.Module(bytes())).exports as typeof kernels
  } catch {
    return null
  }
  const { memory } = kernels
  let cells = new Float64Array(memory.buffer)
  return {
    kernels,
    cells: (count) => {
      if (count > cells.length) {
        memory.grow(Math.ceil((8 * (count - cells.length)) / PAGE))
        cells = new Float64Array(memory.buffer)
      }
      return cells
    },
  }
}
