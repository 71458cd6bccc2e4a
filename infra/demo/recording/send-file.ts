/** Uploads a file of the story to its presigned URL, as a reporter does. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

const FILES = join(import.meta.dirname, '../story/files');

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.png': 'image/png',
  '.zip': 'application/zip',
};

export async function sendFile(path: string, uploadUrl: string, signal?: AbortSignal): Promise<void> {
  const headers = { 'content-type': CONTENT_TYPES[extname(path)] ?? 'application/octet-stream' };
  const body = await readFile(join(FILES, path));
  const answer = await fetch(uploadUrl, { method: 'PUT', headers, body, ...(signal ? { signal } : {}) });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`The upload of ${path} was answered with ${answer.status}`);
}
