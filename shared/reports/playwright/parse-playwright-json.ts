/** Playwright's JSON report. Only the tests of one spec file are in memory at a time. */

import { withoutAnsi } from '#shared/engine/plain-text.ts';
import { Collector } from '#shared/reports/collector.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import { lastOf } from '#shared/reports/found.ts';
import { PieceReader } from '#shared/reports/json/pieces.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { specPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { startOfInstances } from '#shared/reports/start-of-instances.ts';
import { Warnings } from '#shared/reports/warnings.ts';
import { PlaywrightError } from './error-wire.ts';
import { foundJson } from './found-json.ts';
import { Config, JsonProject, JsonSuite, Spec } from './json-wire.ts';
import { UNNAMED_PROJECT } from './outcome.ts';
import { testIdsOf } from './test-ids.ts';

/**
 * The place of a spec file. `file` is the path that Playwright gave to the file, `spec` the one from the root of the
 * repository.
 */
interface Place {
  readonly file: string;
  readonly spec: string;
  readonly titles: readonly string[];
}

export async function parsePlaywrightJson(text: AsyncIterable<string>, hints: ParserInput): Promise<ParsedFile> {
  const file = new PlaywrightJsonFile(hints);
  const reader = new PieceReader({
    paths: ['config.version', 'config.shard', 'config.rootDir', 'config.projects.*', 'suites.*', 'errors.*'],
    take: (path, value, cut) => file.take(path, value, cut),
    work: (units) => hints.reading.work(units, hints.name),
    full: () => file.full,
  });
  await reader.read(text);
  return file.parsed(reader);
}

class PlaywrightJsonFile {
  readonly #hints: ParserInput;
  readonly #warnings = new Warnings();
  readonly #collector: Collector;
  readonly #runErrors: string[] = [];
  #config: Record<string, unknown> = {};
  readonly #testDirs = new Map<string, string>();
  #suites = 0;

  constructor(hints: ParserInput) {
    this.#hints = hints;
    this.#collector = new Collector(this.#warnings, hints.budget, hints.group ?? UNNAMED_PROJECT);
  }

  get full(): boolean {
    return this.#collector.full && this.#collector.truncated;
  }

  take(path: string, value: unknown, cut: ReadonlySet<unknown>): void {
    if (path === 'suites.*') this.#file(value, cut);
    else if (path === 'errors.*') this.#error(value);
    else if (path === 'config.projects.*') this.#project(value);
    else this.#config[path.slice('config.'.length)] = value;
  }

  #project(value: unknown): void {
    const project = JsonProject.safeParse(value).data;
    if (project && this.#testDirs.size < REPORT_LIMITS.testsPerFile) this.#testDirs.set(project.id, project.testDir);
  }

  #error(value: unknown): void {
    const error = PlaywrightError.safeParse(value).data;
    if (!error || this.#runErrors.length === REPORT_LIMITS.runErrors) return;
    this.#runErrors.push(withoutAnsi(error.message || error.value).slice(0, REPORT_LIMITS.messageCharacters));
  }

  /** A helper may define tests of several files. The outermost suite names the file that ran. */
  #file(value: unknown, cut: ReadonlySet<unknown>): void {
    const suite = JsonSuite.safeParse(value).data;
    if (!suite) return;
    this.#suites += 1;
    const spec = specPath(suite.file || suite.title, this.#hints.root);
    this.#suite(suite, { file: suite.title, spec, titles: [], cut });
  }

  #suite({ specs, suites }: JsonSuite, place: Place & { readonly cut: ReadonlySet<unknown> }): void {
    for (const spec of specs) if (!place.cut.has(spec)) this.#spec(spec, place);
    for (const nested of suites) {
      const suite = JsonSuite.safeParse(nested).data;
      if (suite) this.#suite(suite, { ...place, titles: [...place.titles, suite.title] });
    }
  }

  #spec(value: unknown, { file, spec: path, titles }: Place): void {
    const spec = Spec.safeParse(value).data;
    if (!spec) return;
    const { rootDir = '' } = Config.safeParse(this.#config).data ?? {};
    const ids = testIdsOf(spec, { file, titles, rootDir, testDirs: this.#testDirs });
    const place = { spec: path, title: [...titles, spec.title], tags: spec.tags, now: this.#hints.now };
    for (const [index, test] of spec.tests.entries()) {
      const found = foundJson(test, { ...place, testId: ids[index], fileAt: this.#fileAt });
      this.#collector.add(this.#collector.trim(found), 'kept');
    }
  }

  readonly #fileAt: ParserInput['fileAt'] = (of) => {
    const found = this.#hints.fileAt(of);
    if (!found) this.#warnings.once(NAMED_ONLY);
    return found;
  };

  parsed({ whole, tooLarge }: PieceReader): ParsedFile {
    const { name = '' } = this.#hints;
    if (!whole && this.#suites === 0) throw unreadableReport(name, 'is not valid JSON, or ends before its first test');
    if (!whole && !this.full)
      this.#warnings.add('The file is truncated or damaged. The tests before that point are kept');
    if (tooLarge)
      this.#warnings.add('A spec file has too many attachments or tests for one report. Send the blob report');
    const { instances, files } = this.#collector.finish(lastOf);
    const config = Config.safeParse(this.#config).data;
    return {
      name,
      format: 'playwright-json',
      dialect: null,
      framework: { type: 'playwright', version: config?.version || null },
      instances,
      files,
      startedAt: startOfInstances(instances),
      truncated: !whole || tooLarge || this.#collector.truncated,
      runErrors: this.#runErrors,
      machine: null,
      shard: config?.shard ?? null,
      commit: {},
      ciBuildId: null,
      warnings: this.#warnings.all,
      duplicates: this.#collector.duplicates,
    };
  }
}

const NAMED_ONLY =
  'The report does not contain the attachments, which are on the machine that ran the tests. Send the blob report to keep them';
