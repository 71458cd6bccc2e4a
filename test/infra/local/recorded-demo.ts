/** A demo organization in which each test records as many runs of the demo as it needs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import * as z from 'zod';
import { type LocalFile, writeLocalFile } from '#infra/demo/demo-organization.ts';
import { recordStory, type StoryRecording } from '#infra/demo/recording/record-story.ts';
import { type Client, client } from '#test/harness/client.ts';
import { service, type TestService } from '#test/harness/service.ts';
import { temporaryFolder } from './child.ts';

const StoryFile = z.object({ recorded: z.array(z.string()) });
export const MINUTE_MILLISECONDS = 60_000;
export const HOUR_MILLISECONDS = 60 * MINUTE_MILLISECONDS;

export interface Demo extends LocalFile {
  readonly here: TestService;
  readonly api: Client;
  readonly dataDirectory: string;
  readonly startedAt: number;
  readonly recorded: () => Promise<readonly string[]>;
}

export async function demo({ story }: { readonly story: boolean }): Promise<Demo> {
  const here = await service();
  // Uses the real clock, because the object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const startedAt = Date.now();
  const { services, origin, baseUrl } = here;
  const dataDirectory = await temporaryFolder();
  const oauth = { issuer: 'http://localhost:4000' };
  const file = await writeLocalFile({ services, dataDirectory, origin, baseUrl, oauth, store: 'embedded', story });
  const recorded = async () =>
    StoryFile.parse(JSON.parse(await readFile(join(dataDirectory, 'story.json'), 'utf8'))).recorded;
  return { ...file, here, startedAt, dataDirectory, recorded, api: client(origin, file.apiKeys.readOnly) };
}

/** Records until this many runs are done. By then the run in progress has sent its first messages. */
export async function recordUntil(
  { here, startedAt, dataDirectory, recordUrl, apiKeys }: Demo,
  runs: number,
): Promise<number> {
  const stopped = new AbortController();
  let calls = 0;
  const onProgress: StoryRecording['onProgress'] = (recorded) => {
    calls += 1;
    if (recorded >= runs) stopped.abort();
  };
  // The clock is two minutes ahead, so that the run in progress sends its first messages immediately.
  const now = () => startedAt + 2 * MINUTE_MILLISECONDS;
  const recorder = { recordUrl, recordKey: apiKeys.readWrite, now };
  await recordStory({ services: here.services, dataDirectory, recorder, signal: stopped.signal, onProgress });
  return calls;
}

/**
 * Records the rest of the story, and ends the run in progress immediately. Returns how often the recorder reported
 * progress.
 */
export async function recordRest({ here, startedAt, dataDirectory, recordUrl, apiKeys }: Demo): Promise<number> {
  let calls = 0;
  const recorder = { recordUrl, recordKey: apiKeys.readWrite, now: () => startedAt + HOUR_MILLISECONDS };
  const { signal } = new AbortController();
  const onProgress = () => {
    calls += 1;
  };
  await recordStory({ services: here.services, dataDirectory, recorder, signal, onProgress });
  return calls;
}

/** Reads all pages of a cursor list. */
export async function all(api: Client, path: string) {
  const items = [];
  for (let after = ''; ; ) {
    const { status, body } = await api.get(`${path}${after}`);
    expect(status).toBe(200);
    items.push(...body.data);
    if (!body.has_more) return items;
    after = `&starting_after=${encodeURIComponent(body.data.at(-1).cursor)}`;
  }
}
