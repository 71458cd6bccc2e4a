/** TAP 13 and 14, also as `prove -v` prints it. Only the innermost results are tests, and TAP knows no spec files. */

import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundTest } from '#shared/reports/found.ts';
import { buildTest, type ErrorTexts, FAILED, PASSED, PENDING } from '#shared/reports/found-tests.ts';
import type { Head } from '#shared/reports/head.ts';
import { KeptBeginning } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { readLines } from '#shared/reports/lines/line-reader.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { cleanTitle, replaceUnstableParts, toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
import { type Line, parseResult, unescapeName } from './tap-line.ts';
import { Yaml } from './tap-yaml.ts';

export const TAP: Format = { format: 'tap', recognizes: isTap, parse: parseTap };

const VERSION = /^TAP version \d/;
const PLAN = /^1\.\.(\d{1,9})\s*(?:#.*)?$/;
const RESULT = /^ *(?:not )?ok(?: \d| - |$)/;

/** Prose may hold one such line. */
function isTap({ text, lines }: Head): boolean {
  if (/^(?:[<{]|\[(?!\d\d:\d\d))/.test(text)) return false;
  if (PLAN.test(lines.find((line) => line.trim() !== '')?.trim() ?? '')) return true;
  return (
    lines.some((line) => VERSION.test(line)) || lines.filter((line) => PLAN.test(line) || RESULT.test(line)).length > 1
  );
}

interface Leaf {
  /** Beginning with the innermost name. */
  readonly path: string[];
  readonly line: Line;
  readonly error: ErrorTexts;
  readonly duration: number;
}

/** The tests at one depth. */
interface Frame {
  readonly indent: number;
  /** From a comment above it. The name is otherwise that of the result below it. */
  readonly name: string | undefined;
  readonly leaves: Leaf[];
  results: number;
  plan: number | undefined;
  /** The number of results above the plan. */
  planAt: number;
  /** The name in the last comment `# Subtest: name`. */
  next: string | undefined;
}

/** The last result, until the lines below it that explain it have been read. */
interface OpenResult {
  readonly frame: Frame;
  readonly line: Line;
  readonly texts: KeptBeginning;
  /** The subtests above the result, or in braces below it. */
  readonly inner: Frame | undefined;
  readonly yaml: Yaml;
  isYaml: boolean;
}

const openFrame = (indent: number, name?: string): Frame => ({
  indent,
  name,
  leaves: [],
  results: 0,
  plan: undefined,
  planAt: 0,
  next: undefined,
});

async function parseTap(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const reader = new TapReader(report, input.root);
  await readLines(
    text,
    {
      get full() {
        return report.full;
      },
      line: (line) => reader.take(line),
      lastLine: (line) => reader.takeLast(line),
    },
    { input, warnings: report.collector.warnings },
  );
  reader.end();
  if (!reader.begun) throw unreadableReport(input.name ?? '', 'has no line of TAP');
  return report.finish({ format: 'tap', framework: { type: 'tap', version: null }, truncated: reader.isCut });
}

/** With `--timer`, `prove` writes the time before it. */
const PROVE = /^(?:\[\d\d:\d\d:\d\d\] )?(\S{1,1000}) \.{2,200}(?!\.)/;
const FILE = /^\S{1,1000}\.(?:[cm]?[jt]sx?|t|tap|py|rb|sh|bats|pl|php|lua)$/i;
/** How `prove` and Test::More say that a program failed although its tests passed. */
const BAD_EXIT = /^(?:Dubious, test returned|# Looks like your test (?:exited with|died))/;
/** The last line of `prove`. */
const END = /^Result: (PASS|FAIL|NOTESTS)$/;
const VERDICT = /^ok(?:\s+\d{1,12} ms\b.*)?$/;
const SUBTEST = /^# Subtest: ?(.*)$/;

class TapReader {
  readonly #report: ToolReport;
  readonly #root: string | undefined;
  #frames: Frame[] = [openFrame(0)];
  #open: OpenResult | undefined;
  /** A result whose subtests stand in braces below it. */
  readonly #braces: { readonly indent: number; readonly line: Line }[] = [];
  #spec = '';
  #hasStream = false;
  /** Whether a test of the program has failed, and whether one of any program of `prove` has. */
  #hasFailed = false;
  #hasFailedBefore = false;
  /** The line which says that the program itself failed. */
  #badExit = '';
  /** Whether `prove` wrote the file, and whether it has not ended. */
  #hasProve = false;
  #isProve = false;
  /** Whether `prove` has begun its summary, which repeats the results. */
  #isSummary = false;
  begun = false;
  isCut = false;

  constructor(report: ToolReport, root: string | undefined) {
    this.#report = report;
    this.#root = root;
  }

  take(line: string): void {
    const content = line.trimStart();
    const indent = line.length - content.length;
    if (this.#explains(content, indent)) return;
    if (indent === 0 && (this.#beginsStream(content) || this.#endsProgram(content) || this.#isVerdict(content))) return;
    if (this.#isSummary) return;
    const result = indent % 4 === 0 ? parseResult(content) : undefined;
    const subtest = SUBTEST.exec(content)?.[1];
    // Several programs that write to one file may each have a plan below their tests.
    const [top, inner] = this.#frames;
    if ((result || subtest !== undefined) && !inner && top?.plan !== undefined && top.planAt > 0) this.endStream();
    if (result) this.#addResult(result, indent);
    else if (subtest !== undefined) this.#nameSubtest(subtest, indent);
    else if (content === '}') this.#closeBrace(indent);
    else if (PLAN.test(content) && indent % 4 === 0) this.#plan(Number(PLAN.exec(content)?.[1]), indent);
    else if (/^bail out!/i.test(content)) {
      this.begun = true;
      this.#report.runError(content);
    } else this.#explain(content, indent);
  }

  /** The last line may end within a name, or before a directive. */
  takeLast(line: string): void {
    const content = line.trimStart();
    if (/^(?:n|no|not|not o|o)$|^(?:not )?ok\b/.test(content)) {
      this.isCut = true;
      this.begun ||= RESULT.test(line);
    } else this.take(line);
  }

  /** YAML below a result. */
  #explains(content: string, indent: number): boolean {
    const open = this.#open;
    if (!open) return false;
    const depth = indent - open.frame.indent;
    if (open.isYaml) {
      if (content === '...' && depth === 2) open.isYaml = false;
      else if (depth < 2 && content !== '') open.isYaml = false;
      else open.yaml.add(content, indent);
      return depth >= 2;
    }
    if (content !== '---' || depth !== 2) return false;
    open.isYaml = true;
    return true;
  }

  #explain(content: string, indent: number): void {
    const open = this.#open;
    if (!open) return;
    const depth = indent - open.frame.indent;
    if (content.startsWith('#') && depth === 0) open.texts.add(`${content.replace(/^# ?/, '')}\n`);
    else if (depth >= 2) open.texts.add(`${' '.repeat(depth - 2)}${content}\n`);
  }

  #beginsStream(content: string): boolean {
    if (VERSION.test(content)) {
      this.endStream();
      this.#isSummary = false;
      this.begun = true;
      this.#hasStream = true;
      return true;
    }
    if (content === 'Test Summary Report') {
      this.endStream();
      this.#hasProve = true;
      this.#isSummary = true;
      return true;
    }
    const [header = '', file = ''] = PROVE.exec(content) ?? [];
    const rest = content.slice(header.length).trim();
    if (!FILE.test(file)) return false;
    this.endStream();
    this.begun = true;
    this.#spec = toSpecPath(file, this.#root);
    this.#hasStream = rest === '' || BAD_EXIT.test(rest);
    this.#hasProve = true;
    this.#isProve = true;
    this.#isSummary = false;
    return true;
  }

  /** What `prove` or Test::More say below the tests of a program. */
  #endsProgram(content: string): boolean {
    const result = this.#hasProve ? END.exec(content)?.[1] : undefined;
    if (result !== undefined) {
      this.endStream();
      this.#isProve = false;
      if (result === 'FAIL' && !this.#hasFailedBefore) this.#report.runErrorIfNone(`prove: ${content}`);
      return true;
    }
    // Below `prove`, the line of Test::More may stand above the program that wrote it.
    if (BAD_EXIT.test(content) && !(this.#isProve && content.startsWith('#'))) this.#badExit ||= content;
    return false;
  }

  /** `prove` says `ok` below the tests of a program. */
  #isVerdict(content: string): boolean {
    if (!this.#isProve || !VERDICT.test(content)) return false;
    const [top] = this.#frames;
    return top?.plan !== undefined && top.results >= top.plan;
  }

  #addResult(line: Line & { readonly hasBrace: boolean }, indent: number): void {
    this.#closeResult();
    this.begun = true;
    this.#hasStream = true;
    const inner = this.#enter(indent);
    const frame = this.#frames.at(-1);
    if (!frame) return;
    frame.results += 1;
    frame.next = undefined;
    if (line.hasBrace) {
      if (this.#braces.length < REPORT_LIMITS.depth) this.#braces.push({ indent, line });
      frame.next = line.name;
      return;
    }
    this.#open = {
      frame,
      line,
      texts: new KeptBeginning(REPORT_LIMITS.stackCharacters),
      inner,
      yaml: new Yaml(),
      isYaml: false,
    };
  }

  /** Opens the frame at this depth, or closes those below it, and returns the one directly below it. */
  #enter(indent: number): Frame | undefined {
    let inner: Frame | undefined;
    for (let frame = this.#frames.at(-1); frame && frame.indent > indent; frame = this.#frames.at(-1)) {
      if (inner) frame.leaves.push(...nameLeaves(inner, inner.name ?? UNNAMED));
      inner = frame;
      this.#frames.pop();
    }
    const top = this.#frames.at(-1);
    if (top && top.indent < indent && this.#frames.length < REPORT_LIMITS.depth) {
      if (inner) top.leaves.push(...nameLeaves(inner, inner.name ?? UNNAMED));
      inner = undefined;
      this.#frames.push(openFrame(indent, top.next));
    }
    return inner;
  }

  #nameSubtest(name: string, indent: number): void {
    this.#closeResult();
    const top = this.#frames.at(-1);
    const isDeeper = top !== undefined && indent > top.indent && indent % 4 === 0;
    if (isDeeper && top.next === undefined) {
      // Old versions of Test::More indent the comment like the tests below it.
      this.#enter(indent);
      this.#frames[this.#frames.length - 1] = openFrame(indent, unescapeName(name));
      return;
    }
    if (isDeeper) this.#enter(indent);
    // The subtests above may be those of the result that follows, so they stay open.
    const frame = this.#frames.findLast((one) => one.indent <= indent);
    if (frame) frame.next = unescapeName(name);
  }

  #closeBrace(indent: number): void {
    const brace = this.#braces.at(-1);
    if (brace?.indent !== indent) return;
    this.#braces.pop();
    this.#closeResult();
    const inner = this.#enter(indent);
    const frame = this.#frames.at(-1);
    if (frame) this.#addLeaves(frame, brace.line, inner, { message: '' }, brace.line.duration);
  }

  #plan(count: number, indent: number): void {
    this.#closeResult();
    const [top, inner] = this.#frames;
    if (indent === 0 && !inner && top?.plan !== undefined) this.endStream();
    this.begun = true;
    this.#hasStream = true;
    if (indent > (this.#frames.at(-1)?.indent ?? 0)) this.#enter(indent);
    const frame = this.#frames.at(-1);
    if (frame?.indent !== indent) return;
    frame.plan = count;
    frame.planAt = frame.results;
  }

  #closeResult(): void {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return;
    const { frame, line, inner, texts, yaml } = open;
    this.#addLeaves(frame, line, inner, yaml.toError(texts.text), line.duration || yaml.duration);
  }

  #addLeaves(frame: Frame, line: Line, inner: Frame | undefined, error: ErrorTexts, duration: number): void {
    const leaf = { path: [line.name], line, error, duration };
    if (!inner || inner.results === 0) frame.leaves.push(leaf);
    else {
      const isPending = line.directive !== undefined;
      const leaves = isPending ? inner.leaves.map((one) => markPending(one, line)) : inner.leaves;
      const hasFailed = leaves.some((one) => getEnding(one.line) === FAILED);
      frame.leaves.push(...nameLeaves({ ...inner, leaves }, line.name || inner.name || UNNAMED));
      // A parent may fail by itself, for example because its plan was not met.
      if (getEnding(line) === FAILED && !hasFailed) frame.leaves.push(leaf);
    }
    if (frame === this.#frames[0]) this.#flush(frame);
  }

  #flush(frame: Frame): void {
    for (const leaf of frame.leaves.splice(0)) {
      this.#hasFailed ||= getEnding(leaf.line) === FAILED;
      this.#report.add(this.#buildTest(leaf));
    }
  }

  #buildTest({ path, line, error, duration }: Leaf): FoundTest {
    const names = path.toReversed().map((name) => replaceUnstableParts(cleanTitle(name || UNNAMED)));
    const [first = '', ...others] = names;
    const isFile = others.length > 0 && FILE.test(first);
    return buildTest({
      spec: isFile ? toSpecPath(first, this.#root) : this.#spec || 'tap',
      title: isFile ? others : names,
      ending: getEnding(line),
      duration,
      errors: [error],
      annotations: line.directive ? [{ type: line.directive, description: line.reason || null }] : [],
    });
  }

  /** Ends the tests of one program. Its plan tells whether all of them ran. */
  endStream(): void {
    this.#closeResult();
    const [top] = this.#frames;
    // Subtests without a result are named by the comment above them, or left out.
    for (const frame of this.#frames.toReversed()) {
      const around = this.#frames[this.#frames.indexOf(frame) - 1];
      if (around && frame.name !== undefined) around.leaves.push(...nameLeaves(frame, frame.name));
    }
    if (top) this.#flush(top);
    if (top && this.#hasStream) this.#checkPlan(top);
    this.#frames = [openFrame(0)];
    this.#braces.length = 0;
    this.#hasStream = false;
    this.#hasFailedBefore ||= this.#hasFailed;
    this.#hasFailed = false;
    this.#badExit = '';
  }

  end(): void {
    this.endStream();
    this.isCut ||= this.#isProve;
  }

  #checkPlan({ plan, results }: Frame): void {
    const file = this.#spec === '' ? '' : `${this.#spec}: `;
    if (plan === undefined) this.#report.runError(`${file}No plan`);
    else if (plan !== results) this.#report.runError(`${file}Planned ${plan} tests, ran ${results}`);
    else if (this.#badExit !== '' && !this.#hasFailed)
      this.#report.runError(`${file}${this.#badExit.replace(/^# /, '')}`);
  }
}

const UNNAMED = '(unnamed)';

/** Adds the name of the subtest to its tests. */
function nameLeaves(frame: Frame, name: string): Leaf[] {
  for (const { path } of frame.leaves) if (path.length < REPORT_LIMITS.depth) path.push(name);
  return frame.leaves;
}

function getEnding({ hasPassed, directive }: Line): Ending {
  if (directive) return PENDING;
  return hasPassed ? PASSED : FAILED;
}

const markPending = (leaf: Leaf, { directive, reason }: Line): Leaf => ({
  ...leaf,
  line: leaf.line.directive ? leaf.line : { ...leaf.line, directive, reason },
});
