/** Parses sample files as if the machine that wrote them had sent them shortly after the tests ran. */
import { deriveSignature } from '#shared/model/ids.ts';
import { parseReports } from '#shared/reports/reading/parse-reports.ts';
import type { ParsedFile, ReportHints } from '#shared/reports/report.ts';
import { sampleFile, sourceOf } from './sources.ts';

export const NOW = Date.parse('2026-11-23T00:00:00Z');

export const parseAll = (bytes: Uint8Array, hints: Partial<ReportHints> = {}): Promise<ParsedFile[]> =>
  parseReports(sourceOf(bytes), { root: '/project', now: NOW, ...hints });

export async function parseBytes(bytes: Uint8Array | string, hints: Partial<ReportHints> = {}): Promise<ParsedFile> {
  const [file] = await parseAll(Buffer.from(bytes), hints);
  if (!file) throw new Error('The file has no result');
  return file;
}

export const parseSample = async (report: string, hints: Partial<ReportHints> = {}): Promise<ParsedFile> =>
  parseBytes(await sampleFile(report), { name: report, ...hints });

export interface Told {
  readonly group: string;
  readonly spec: string;
  readonly title: readonly string[];
  readonly outcome: string;
  readonly flaky: boolean;
  readonly attempts: number;
}

export const toldBy = ({ instances }: Pick<ParsedFile, 'instances'>): Told[] =>
  instances.flatMap(({ groupId, spec, tests }) =>
    tests.map(({ title, outcome, flaky, attempts }) => ({
      group: groupId,
      spec,
      title,
      outcome,
      flaky,
      attempts: attempts.length,
    })),
  );

const OF = { organizationId: 'any', projectId: 'any' };
export const signaturesOf = (file: ParsedFile): string[] =>
  file.instances.flatMap(({ spec, tests }) => tests.map(({ title }) => deriveSignature({ ...OF, spec, title })));
