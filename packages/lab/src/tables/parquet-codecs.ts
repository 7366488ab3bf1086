// Decompression of Parquet pages beyond what hyparquet brings (snappy), from Node's own zlib.

import * as zlib from 'node:zlib'
import type { Compressors } from 'hyparquet'

const zstd = (zlib as { readonly zstdDecompressSync?: (input: Uint8Array) => Uint8Array }).zstdDecompressSync

export const decompressors: Compressors = {
  GZIP: (input) => zlib.gunzipSync(input),
  BROTLI: (input) => zlib.brotliDecompressSync(input),
  // Node 22.15 and later.
  ...(zstd === undefined ? {} : { ZSTD: (input: Uint8Array) => zstd(input) }),
}
