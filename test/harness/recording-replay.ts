/** Replays the recorded requests of a real reporter (`test/samples`). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { vi } from 'vitest';
import * as z from 'zod';
import { exchange, textIn } from './client.ts';

/**
 * The time at which the recorded tests ran. The clock is set to this time, because the service ignores start times that
 * are far in the future.
 */
const RECORDED_AT = Date.parse('2026-11-20T06:30:00Z');

const FIXTURES = join(import.meta.dirname, '../samples');

const Entry = z.object({
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown(),
  /** The members of the response that later requests use, with their placeholders: `{ runId: '{{runId}}' }`. */
  answer: z.record(z.string(), z.string()).default({}),
});
export type Entry = z.output<typeof Entry>;

const NAME = /\{\{([^}]+)\}\}/g;

const fixture = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(FIXTURES, file), 'utf8'));

/**
 * Loads the recorded requests in order of arrival. They include uploads to the object store. The path of an upload is
 * the placeholder of its upload link.
 */
export const loadRecording = async (): Promise<Entry[]> =>
  z.array(Entry).parse(await fixture('playwright-recording.json'));
export const loadReport = (): Promise<unknown> => fixture('playwright-recording-report.json');
/** The tags that the recorded tests inherit from the run and from their Playwright project. */
export const INHERITED_TAGS = { retail: ['nightly', 'consumer'], wholesale: ['nightly'] };

/**
 * Whether a request uploads a file. Most tests omit uploads, because the object store checks the expiry of links
 * against the real time.
 */
export const isUpload = ({ path }: Entry): boolean => path.startsWith('{{uploadUrl');

const Suite = z.array(z.looseObject({ name: z.string(), tests: z.array(z.looseObject({ spec: z.string() })) }));
const RunBody = z.looseObject({ fullTestSuite: Suite });
const OfSpec = z.object({ groupId: z.string(), spec: z.string() });

/** Loads only the requests for spec files that `wanted` accepts. By default, uploads are omitted. */
export async function loadReduced(
  wanted: (of: { group: string; spec: string }) => boolean,
  { uploads = false }: { readonly uploads?: boolean } = {},
): Promise<Entry[]> {
  const kept: Entry[] = [];
  for (const entry of await loadRecording()) {
    const run = RunBody.safeParse(entry.body);
    const about = OfSpec.safeParse(entry.body);
    if (run.success)
      kept.push({ ...entry, body: { ...run.data, fullTestSuite: reduced(run.data.fullTestSuite, wanted) } });
    else if (about.success && wanted({ group: about.data.groupId, spec: about.data.spec })) kept.push(entry);
    else if (!about.success && (uploads || !isUpload(entry)) && follows(entry, kept)) kept.push(entry);
  }
  return kept;
}

const reduced = (suite: z.output<typeof Suite>, wanted: (of: { group: string; spec: string }) => boolean) =>
  suite.map((group) => ({ ...group, tests: group.tests.filter(({ spec }) => wanted({ group: group.name, spec })) }));

/** Whether earlier responses have set all placeholders in the path. */
const follows = ({ path }: Entry, earlier: readonly Entry[]): boolean => {
  const known = earlier.flatMap(({ answer }) => Object.values(answer));
  return [...path.matchAll(NAME)].every(([name]) => known.includes(name));
};

/** The values of the placeholders in a replay, by name. */
export type Names = Map<string, string>;

export const namesFor = (
  { projectId, keys }: { projectId: string; keys: { readWrite: string } },
  ciBuildId: string,
): Names =>
  new Map([
    ['projectId', projectId],
    ['recordKey', keys.readWrite],
    ['ciBuildId', ciBuildId],
  ]);

const fill = (text: string, names: Names): string =>
  text.replaceAll(NAME, (whole, name: string) => names.get(name) ?? whole);

export interface Delivered {
  readonly status: number;
  readonly body: string;
}

/** Sends one request once and returns the raw response. */
export async function deliver(
  origin: string,
  { method, path, headers, body }: Entry,
  names: Names,
): Promise<Delivered> {
  if (vi.isFakeTimers() && Date.now() < RECORDED_AT) vi.setSystemTime(RECORDED_AT);
  const address = fill(path, names);
  const text = fill(typeof body === 'string' ? body : JSON.stringify(body), names);
  const response = await exchange(
    method,
    address.startsWith('/') ? `${origin}${address}` : address,
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value, names)])),
    headers['content-encoding'] === 'gzip' ? Uint8Array.from(gzipSync(text)) : text,
  );
  return { status: response.statusCode ?? 0, body: await textIn(response) };
}

/** Stores those members of a response that replace placeholders in later requests. */
export function learn({ answer }: Entry, { body }: Delivered, names: Names): void {
  if (Object.keys(answer).length === 0) return;
  const fields = z.record(z.string(), z.unknown()).parse(JSON.parse(body));
  for (const [field, name] of Object.entries(answer)) names.set(name.slice(2, -2), `${fields[field]}`);
}

/** Sends each request once, in order, and returns the responses. Throws at the first error response. */
export async function replay(origin: string, entries: readonly Entry[], names: Names): Promise<Delivered[]> {
  const all: Delivered[] = [];
  for (const entry of entries) {
    const delivered = await deliver(origin, entry, names);
    if (delivered.status >= 300)
      throw new Error(`${entry.method} ${entry.path}: ${delivered.status} ${delivered.body}`);
    learn(entry, delivered, names);
    all.push(delivered);
  }
  return all;
}
