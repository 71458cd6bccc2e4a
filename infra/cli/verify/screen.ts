/** The output of `npm run verify`, for people. */
import { bad, good, printLine, quiet, strong, type Terminal } from '#infra/cli/terminal.ts';
import { NOT_CHECKED } from './checks.ts';
import type { CheckResult } from './verify.ts';

const INDENT = ' '.repeat(9);
const SLOW_SECONDS = 2;

/** Prints each result as it comes, below the name of its area. */
export function resultPrinter(terminal: Terminal): (result: CheckResult) => void {
  let shownArea = '';
  return ({ area, name, result, seconds, details = [], problem, fix }) => {
    if (area !== shownArea) printLine(`\n${strong(area, terminal)}`, terminal);
    shownArea = area;
    const mark = markOf(result, terminal);
    const time = seconds < SLOW_SECONDS ? '' : quiet(`  ${seconds.toFixed(1)} s`, terminal);
    printLine(`  ${mark}   ${name}${time}`, terminal);
    for (const line of details) printLine(`${INDENT}${quiet(line, terminal)}`, terminal);
    if (problem !== undefined)
      printLine(`${INDENT}${result === 'failed' ? problem : quiet(problem, terminal)}`, terminal);
    if (fix !== undefined) printLine(`${INDENT}${strong('fix:', terminal)} ${fix}`, terminal);
  };
}

function markOf(result: CheckResult['result'], terminal: Terminal): string {
  if (result === 'passed') return good('pass', terminal);
  if (result === 'failed') return bad('FAIL', terminal);
  return quiet(result === 'skipped' ? 'skip' : 'info', terminal);
}

export function printSummary(results: readonly CheckResult[], terminal: Terminal): void {
  const count = (result: CheckResult['result']) => results.filter((one) => one.result === result).length;
  printLine(`\n${strong('Not checked', terminal)}`, terminal);
  for (const { what, why } of NOT_CHECKED) printLine(`${INDENT}${quiet(`${what}: ${why}`, terminal)}`, terminal);
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0);
  const failed = count('failed');
  const counts = `${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`;
  printLine(`\n${(failed > 0 ? bad : good)(counts, terminal)} in ${seconds.toFixed(1)} s`, terminal);
}

/** Names the running check on standard error after two seconds, because a script may read standard output. */
export function progressPrinter({ errors }: Terminal): {
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
    const started = performance.now();
    timer = setInterval(() => {
      const seconds = Math.round((performance.now() - started) / 1000);
      // A log gets one line for each slow check, not one every two seconds.
      if (isTerminal) errors.write(`\r\u001b[2K  ...    ${name} (${seconds} s)`);
      else if (!isShown) errors.write(`... ${name}\n`);
      isShown = true;
    }, SLOW_SECONDS * 1000);
  };
  return { start, end };
}
