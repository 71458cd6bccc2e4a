/** Whether zlib threw the error, because compressed bytes are damaged. */
export const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
