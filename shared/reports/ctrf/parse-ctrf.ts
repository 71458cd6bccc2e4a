/** CTRF reports of any writer. Each test is read on its own, so that memory does not grow with the file. */

import { Collector } from '#shared/reports/collector.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { SameName } from '#shared/reports/found.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { ownCopy } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { joinTries } from '#shared/reports/pytest-tries.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { startOfInstances } from '#shared/reports/start-of-instances.ts';
import { Warnings } from '#shared/reports/warnings.ts';
import { type CtrfEnvironment, CtrfTest, CtrfTool, CtrfEnvironment as Environment } from './ctrf-wire.ts';
import { foundCtrf } from './found-ctrf.ts';

const DEFAULT_GROUP = 'default';

export async function parseCtrf(text: AsyncIterable<string>, hints: ParserInput): Promise<ParsedFile> {
  const file = new CtrfFile(hints);
  const reader = new PieceReader({
    paths: ['results.tool', 'results.environment', 'results.tests.*'],
    take: (path, value, cut) => file.take(path, value, cut),
    work: (units) => hints.reading.work(units, hints.name),
    full: () => file.full,
  });
  await reader.read(text);
  return file.parsed(reader.whole);
}

class CtrfFile {
  readonly #hints: ParserInput;
  readonly #warnings = new Warnings();
  readonly #collector: Collector;
  #tool = { name: '', version: '' };
  #environment: CtrfEnvironment | undefined;
  #tests = 0;

  constructor(hints: ParserInput) {
    this.#hints = hints;
    this.#collector = new Collector(this.#warnings, hints.budget, hints.group ?? DEFAULT_GROUP);
  }

  get full(): boolean {
    return this.#collector.full && this.#collector.truncated && this.#sameName !== 'attempts';
  }

  get #sameName(): SameName {
    return SAME_NAME.get(this.#tool.name.toLowerCase()) ?? 'numbered';
  }

  take(path: string, value: unknown, cut: ReadonlySet<unknown>): void {
    if (cut.has(value)) return;
    if (path === 'results.tool') this.#tool = CtrfTool.safeParse(value).data ?? this.#tool;
    else if (path === 'results.environment') this.#environment = Environment.safeParse(value).data;
    else this.#add(value);
  }

  #add(value: unknown): void {
    const test = CtrfTest.safeParse(value).data;
    this.#tests += 1;
    if (!test) {
      this.#warnings.once('Tests that are not JSON objects are left out');
      return;
    }
    const tool = this.#tool.name.toLowerCase();
    const { root, now, fileAt } = this.#hints;
    const found = foundCtrf(test, { tool, root, now, fileAt });
    // A mere retry count creates that many attempts.
    this.#hints.reading.work((found.attempts.length - 1) * REPORT_LIMITS.work.attempt, this.#hints.name);
    if (found.attempts.reduce((sum, { files = [] }) => sum + files.length, 0) < test.attachments.length)
      this.#warnings.once(
        'The report names attachments that it does not contain. Send a zip of the report and its files to keep them',
      );
    this.#collector.add(this.#collector.trim(found), this.#sameName);
  }

  parsed(whole: boolean): ParsedFile {
    const { name = '' } = this.#hints;
    if (!whole && this.#tests === 0) throw unreadableReport(name, 'is not valid JSON, or ends before its first test');
    if (!whole && !this.full)
      this.#warnings.add('The file is truncated or damaged. The tests before that point are kept');
    const { instances, files } = this.#collector.finish(joinTries);
    const environment = this.#environment;
    return {
      name,
      format: 'ctrf',
      dialect: this.#tool.name === '' ? null : ownCopy(this.#tool.name),
      framework: { type: this.#tool.name || 'ctrf', version: this.#tool.version || null },
      instances,
      files,
      startedAt: startOfInstances(instances),
      truncated: !whole || this.#collector.truncated,
      runErrors: [],
      machine: null,
      shard: null,
      commit: environment ? commitOf(environment) : {},
      ciBuildId: environment ? buildOf(environment) : null,
      warnings: this.#warnings.all,
      duplicates: this.#collector.duplicates,
    };
  }
}

/**
 * How tools use several tests of the same name. Playwright's `repeatEach` runs a test several times under one name.
 * pytest repeats a test after a failure.
 */
const SAME_NAME: ReadonlyMap<string, SameName> = new Map([
  ['playwright', 'kept'],
  ['pytest', 'attempts'],
]);

const commitOf = ({ commit, branchName, repositoryUrl }: CtrfEnvironment): ParsedFile['commit'] => ({
  ...(commit !== null && { sha: commit }),
  ...(branchName !== null && { branch: branchName }),
  ...(repositoryUrl !== null && { remoteOrigin: repositoryUrl }),
});

function buildOf({ buildId, buildName, buildNumber }: CtrfEnvironment): string | null {
  if (buildId !== null) return buildId;
  return buildNumber === null ? null : [buildName, buildNumber].filter(Boolean).join('-');
}
