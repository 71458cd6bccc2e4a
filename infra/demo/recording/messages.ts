/** What past runs and the run in progress send alike: the facts of a machine, and files. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { getStoryPlatform } from '#infra/demo/story/run-facts.ts';
import type { StoryMachine, StoryRun } from '#infra/demo/story/story-run.ts';

export const buildMachineBody = ({ facts }: StoryRun, projectId: string, { group, machineId }: StoryMachine) => ({
  projectId,
  ...facts,
  group,
  machineId,
  ...getStoryPlatform(group),
});

const FILES = join(import.meta.dirname, '../story/files');

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.png': 'image/png',
  '.webm': 'video/webm',
  '.zip': 'application/zip',
};

export async function sendFile(path: string, uploadUrl: string, signal?: AbortSignal): Promise<void> {
  const headers = { 'content-type': CONTENT_TYPES[extname(path)] ?? 'application/octet-stream' };
  const body = await readFile(join(FILES, path));
  const answer = await fetch(uploadUrl, { method: 'PUT', headers, body, ...(signal ? { signal } : {}) });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`The upload of ${path} failed with status ${answer.status}`);
}
