/** Steps of Gherkin, as feature files write them: with their data table or doc string below. */
import { cutText } from '#shared/engine/cut-text.ts';
import { REPORT_LIMITS } from './limits.ts';

export interface StepArguments {
  readonly table: readonly (readonly string[])[];
  readonly docString: string;
}

export function nameGherkinStep(line: string, { table, docString }: StepArguments): string {
  const lines = [line, ...table.map(formatRow)];
  if (docString !== '') lines.push('"""', docString, '"""');
  return cutText(lines.join('\n'), REPORT_LIMITS.stepTitleCharacters);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '|': '\\|', '\n': '\\n' };

const formatRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll(/[\\|\n]/g, (character) => ESCAPES[character] ?? '')).join(' | ')} |`;
