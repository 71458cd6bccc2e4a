/** Imports the report files of a run that was also recorded live, and compares what the API returns for both runs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { read } from '#test/harness/recording-readback.ts';
import type { Tenant } from '#test/harness/service.ts';
import { imported } from '#test/imports/reports.ts';

const FORMATS = { json: 'report.json', blob: 'blob.zip', junit: 'junit.xml', ctrf: 'ctrf.json' };
type Format = keyof typeof FORMATS;
const ALL: readonly Format[] = ['json', 'blob', 'junit', 'ctrf'];

/**
 * Known differences between an import and the live recording: the reason, the report formats, and the members that
 * differ.
 */
const REASONS: readonly (readonly [reason: string, formats: readonly Format[], members: RegExp])[] = [
  ['Ids begin with the id of the run', ALL, /^(test\.recordId|attempt\.attemptId)$/],
  ['No report has the tags in the metadata of a project', ALL, /^(run|test)\.tags$/],
  ['An import has no version of a reporter', ALL, /^run\.framework\.clientVersion$/],
  [
    'A test that never ran has one result per attempt of its `describe` group if recorded live, but only one if imported',
    ['json', 'blob'],
    /^never ran: /,
  ],
  ['The report contains only the paths of files, not the files', ['json', 'junit', 'ctrf'], /^test\.files$/],
  ['The report has no ids of Playwright', ['junit', 'ctrf'], /^(test\.testId|run\.pwLastRun)$/],
  ['The report has no version of Playwright', ['junit', 'ctrf'], /^run\.framework\.version$/],
  ['The report has no worker indexes', ['junit', 'ctrf'], /\.(workerIndex|parallelIndex)$/],
  [
    'The report has only the times of suites, or times in whole seconds',
    ['junit', 'ctrf'],
    /\.(startTime|endTime|wallClockStartedAt)$/,
  ],
  ['The report calls a timeout a failure', ['ctrf'], /^attempt\.rawStatus$/],
  [
    'The report has the texts of errors, but not their locations',
    ['junit', 'ctrf'],
    /^attempt\.(errors|error\.location\..*)$/,
  ],
  [
    'The report has the attempts of failed tests only, as one text with one duration',
    ['junit'],
    /^(run\.groups|test\.(attempts|_f|isFlaky|displayError|duration|tags)|attempt\.(state|rawStatus|wallClockDuration|error\.(message|stack)))$/,
  ],
];

type Sender = Pick<Tenant, 'api' | 'projectId'>;
// Untyped, because tests check the content of response bodies themselves.
type Body = Awaited<ReturnType<typeof read>>;

/** The values to compare, by name: some of the run, and all of its tests and their attempts. */
type Facts = Map<string, { readonly member: string; readonly value: string | undefined }>;

async function factsOf({ api, projectId }: Sender, ciBuildId: string): Promise<Facts> {
  const run = await read(api, `/runs/find?projectId=${projectId}&ciBuildId=${ciBuildId}&pwLastRun=true`);
  const facts: Facts = new Map();
  const { status, tags, pwLastRun = null } = run;
  const groups = run.groups.map((group: Body) => [group.groupId, group.tests]);
  const lastRun = pwLastRun && [...pwLastRun.failedTests].sort();
  add(facts, 'run', '', { status, tags, framework: run.meta.framework, groups, pwLastRun: lastRun });
  for (const { instanceId } of run.specs) {
    const { groupId, spec, results } = await read(api, `/instances/${instanceId}`);
    for (const { attempts, ...test } of results.tests) {
      const name = `${groupId} ${spec} ${test.title.join(' > ')}`;
      const files = results.attachments.filter(({ testId }: Body) => testId === test.testId);
      const names = files.map((file: Body) => `${file.testAttemptIndex} ${file.name} ${file.contentType}`).sort();
      add(facts, 'test', name, { ...test, attempts: attempts.length, files: names });
      for (const [index, attempt] of attempts.entries()) add(facts, 'attempt', `${name} ${index}`, attempt);
    }
  }
  return facts;
}

function add(facts: Facts, member: string, of: string, values: Body): void {
  for (const [name, value] of Object.entries(values)) {
    const inner = `${member}.${name}`;
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) add(facts, inner, of, value);
    else facts.set(`${of} ${inner}`, { member: inner, value: JSON.stringify(value) });
  }
}

/**
 * Returns the differences that have no known reason, and the reasons that explain no difference. The build id of the
 * live run is `whole`.
 */
export async function differencesOf(tenant: Sender, folder: string) {
  const live = await factsOf(tenant, 'whole');
  const unran = [...live].flatMap(([name, { member, value }]) =>
    member === 'attempt.rawStatus' && value === '"skipped"' ? name.replace(/ \d+ attempt\.rawStatus$/, '') : [],
  );
  const unexplained = new Set<string>();
  const seen = new Set<string>();
  for (const format of ALL) {
    const report = new Uint8Array(await readFile(join(folder, FORMATS[format])));
    await imported(tenant, report, `ciBuildId=${format}&tags[]=nightly`);
    const found = await factsOf(tenant, format);
    for (const name of new Set([...live.keys(), ...found.keys()])) {
      const one = live.get(name);
      const other = found.get(name);
      if (one?.value === other?.value) continue;
      const member = one?.member ?? other?.member ?? '';
      const names = unran.some((test) => name.startsWith(`${test} `)) ? [member, `never ran: ${member}`] : [member];
      const reason = REASONS.find(
        ([, formats, members]) => formats.includes(format) && names.some((one) => members.test(one)),
      );
      if (reason) seen.add(`${format}: ${reason[0]}`);
      else unexplained.add(`${format}: ${name}: ${one?.value} live, ${other?.value} imported`);
    }
  }
  const unseen = REASONS.flatMap(([reason, formats]) => formats.map((format) => `${format}: ${reason}`));
  return { unexplained: [...unexplained], unseen: unseen.filter((reason) => !seen.has(reason)) };
}
