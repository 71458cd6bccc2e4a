/** Prints the results of checks for people. */
import { bad, good, printLine, quiet, strong, type Terminal } from '#infra/cli/terminal/terminal.ts';
import { makeVisible, makeVisibleLine } from '#shared/engine/plain-text.ts';
import { NOT_CHECKED } from './checks.ts';
import type { CheckResult } from './run-checks.ts';

const INDENT = ' '.repeat(9);
const SLOW_SECONDS = 2;

const MARKS = {
  passed: [good, 'pass'],
  failed: [bad, 'FAIL'],
  skipped: [quiet, 'skip'],
  measured: [quiet, 'info'],
} as const;

export function makeResultPrinter(terminal: Terminal): (result: CheckResult) => void {
  const print = (line: string) => printLine(line, terminal);
  let shownArea = '';
  return ({ area, name, result, seconds, details = [], problem, fix }) => {
    if (area !== shownArea) print(`\n${strong(area, terminal)}`);
    shownArea = area;
    const [style, mark] = MARKS[result];
    const time = seconds < SLOW_SECONDS ? '' : quiet(`  ${seconds.toFixed(1)} s`, terminal);
    print(`  ${style(mark, terminal)}   ${name}${time}`);
    for (const line of details) print(`${INDENT}${quiet(makeVisibleLine(line), terminal)}`);
    if (problem !== undefined)
      print(`${INDENT}${result === 'failed' ? makeVisible(problem) : quiet(makeVisible(problem), terminal)}`);
    if (fix !== undefined) print(`${INDENT}${strong('fix:', terminal)} ${fix}`);
  };
}

export function printSummary(results: readonly CheckResult[], terminal: Terminal): void {
  const count = (result: CheckResult['result']) => results.filter((one) => one.result === result).length;
  printLine(`\n${strong('Not checked', terminal)}`, terminal);
  for (const { what, why } of NOT_CHECKED) printLine(`${INDENT}${quiet(`${what}: ${why}`, terminal)}`, terminal);
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0);
  const failedCount = count('failed');
  const counts = `${count('passed')} passed, ${failedCount} failed, ${count('skipped')} skipped`;
  printLine(`\n${(failedCount > 0 ? bad : good)(counts, terminal)} in ${seconds.toFixed(1)} s`, terminal);
}

/** Prints slow checks to standard error, because a script may read standard output. */
export function makeProgressPrinter({ errors }: Terminal): {
  readonly start: (name: string) => void;
  readonly end: () => void;
} {
  let timer: NodeJS.Timeout | undefined;
  const isTerminal = 'isTTY' in errors && errors.isTTY === true;
  let isShown = false;
  const end = () => {
    clearInterval(timer);
    if (isShown && isTerminal) errors.write('\r\u001b[2K');
    isShown = false;
  };
  const start = (name: string) => {
    end();
    const startTime = performance.now();
    timer = setInterval(() => {
      const seconds = Math.round((performance.now() - startTime) / 1000);
      // A log file gets one line for each slow check, not one line every two seconds.
      if (isTerminal) errors.write(`\r\u001b[2K  ...    ${name} (${seconds} s)`);
      else if (!isShown) errors.write(`... ${name}\n`);
      isShown = true;
    }, SLOW_SECONDS * 1000);
  };
  return { start, end };
}
