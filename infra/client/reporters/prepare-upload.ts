/** Describes a file to the service, and opens it for the upload. */
import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { TestFile } from './messages.ts';

export interface FileOfSpec extends TestFile {
  readonly group: string;
  readonly spec: string;
}

/** Files up to this size are kept in memory until they are uploaded. Larger ones are read twice. */
const SMALL_FILE_BYTES = 256 * 1024;
/** Returns `undefined` if the file cannot be read. */
export async function prepareUpload({ content, group, ...file }: FileOfSpec) {
  const wire = { groupId: group, ...file };
  try {
    const { size } = 'bytes' in content ? { size: content.bytes.length } : await stat(content.path);
    const hash = createHash('sha256');
    if ('bytes' in content || size <= SMALL_FILE_BYTES) {
      const bytes = new Uint8Array('bytes' in content ? content.bytes : await readFile(content.path));
      const sha256 = hash.update(bytes).digest('hex');
      return { wire: { ...wire, bytes: bytes.length, sha256 }, open: async () => bytes };
    }
    for await (const chunk of createReadStream(content.path)) hash.update(chunk);
    return { wire: { ...wire, bytes: size, sha256: hash.digest('hex') }, open: () => openAsBlob(content.path) };
  } catch {
    return undefined;
  }
}
