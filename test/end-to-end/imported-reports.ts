/** Imports the report files of a run that was also recorded live, and compares what the service answers about both. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { read } from '#test/harness/recording-readback.ts';
import type { Tenant } from '#test/harness/service.ts';
import { imported } from '#test/imports/reports.ts';

type Sender = Pick<Tenant, 'api' | 'projectId'>;
// Untyped, because tests do not trust response bodies.
type Body = Awaited<ReturnType<typeof read>>;

/** What is told about a run and its tests: one value per member, by the test and the member. */
type Facts = Map<string, { readonly field: string; readonly value: string | undefined }>;

async function factsOf({ api, projectId }: Sender, ciBuildId: string): Promise<Facts> {
  const run = await read(api, `/runs/find?projectId=${projectId}&ciBuildId=${ciBuildId}&pwLastRun=true`);
  const facts: Facts = new Map();
  const { status, tags, pwLastRun = null } = run;
  const groups = run.groups.map((group: Body) => [group.groupId, group.tests]);
  add(facts, { of: '', field: 'run' }, { status, tags, framework: run.meta.framework, groups });
  add(facts, { of: '', field: 'run' }, { pwLastRun: pwLastRun && [...pwLastRun.failedTests].sort() });
  for (const { instanceId } of run.specs) {
    const { groupId, spec, results } = await read(api, `/instances/${instanceId}`);
    for (const { attempts, ...test } of results.tests) {
      const of = `${groupId} ${spec} ${test.title.join(' > ')}`;
      const files = results.attachments.filter(({ testId }: Body) => testId === test.testId);
      const names = files.map((file: Body) => `${file.testAttemptIndex} ${file.name} ${file.contentType}`).sort();
      add(facts, { of, field: 'test' }, { ...test, attempts: attempts.length, files: names });
      for (const [index, attempt] of attempts.entries())
        add(facts, { of: `${of} ${index}`, field: 'attempt' }, attempt);
    }
  }
  return facts;
}

function add(facts: Facts, { of, field }: { of: string; field: string }, values: Body): void {
  for (const [member, value] of Object.entries(values)) {
    const inner = `${field}.${member}`;
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) add(facts, { of, field: inner }, value);
    else facts.set(`${of} ${inner}`, { field: inner, value: JSON.stringify(value) });
  }
}

/** The members that differ, with the number of their values, by the format. */
export async function differencesOf(live: Sender, reports: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>) {
  const own = await factsOf(live, 'whole');
  const differences: Record<string, Record<string, number>> = {};
  const samples: unknown[] = [];
  for (const [format, report] of Object.entries(reports)) {
    await imported(live, report, `ciBuildId=${format}&tag=nightly`);
    const facts = await factsOf(live, format);
    for (const name of new Set([...own.keys(), ...facts.keys()])) {
      const [one, other] = [own.get(name), facts.get(name)];
      if (one?.value === other?.value) continue;
      const field = one?.field ?? other?.field ?? '';
      const counts = differences[field] ?? {};
      differences[field] = { ...counts, [format]: (counts[format] ?? 0) + 1 };
      samples.push([format, name, one?.value?.slice(0, 300), other?.value?.slice(0, 300)]);
    }
  }
  const fs = await import('node:fs');
  fs.writeFileSync('/tmp/samples.json', samples.map((one) => JSON.stringify(one)).join('\n'));
  return differences;
}

export async function reportsIn(folder: string) {
  const file = async (name: string) => new Uint8Array(await readFile(join(folder, name)));
  return {
    json: await file('report.json'),
    blob: await file('blob.zip'),
    junit: await file('junit.xml'),
    ctrf: await file('ctrf.json'),
  };
}
