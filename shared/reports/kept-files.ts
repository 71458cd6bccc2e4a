/** The attachments that an import keeps. The sender is told about the others. */
import { REPORT_LIMITS } from './limits.ts';
import type { ReportedFile } from './report.ts';
import type { Warnings } from './warnings.ts';

const { attachmentBytes, filesPerReport } = REPORT_LIMITS;

const number = (value: number): string => value.toLocaleString('en');

const TOO_MANY = `a report may have ${number(filesPerReport)} attachments`;

export function keptFiles(files: readonly ReportedFile[], warnings: Warnings): ReportedFile[] {
  const kept: ReportedFile[] = [];
  for (const file of files) {
    if (file.size > attachmentBytes)
      warnings.leaveOut(file, `it has ${number(file.size)} bytes, and the limit is ${number(attachmentBytes)}`);
    else if (kept.length === filesPerReport) warnings.leaveOut(file, TOO_MANY);
    else kept.push(file);
  }
  return kept;
}
