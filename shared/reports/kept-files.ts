/** The attachments that an import keeps. The others cause warnings. */
import { REPORT_LIMITS } from './limits.ts';
import type { ReportedFile } from './report.ts';
import type { Warnings } from './warnings.ts';

const { attachmentBytes, attachmentsBytes, filesPerReport } = REPORT_LIMITS;

const number = (value: number): string => value.toLocaleString('en');

const TOO_MANY = `a report may have at most ${number(filesPerReport)} attachments`;

const NO_ROOM = `all attachments of a report may have at most ${number(attachmentsBytes)} bytes together`;

export function keptFiles(files: readonly ReportedFile[], warnings: Warnings): ReportedFile[] {
  const kept: ReportedFile[] = [];
  let left: number = attachmentsBytes;
  for (const file of files) {
    if (file.size > attachmentBytes)
      warnings.leaveOut(file, `it has ${number(file.size)} bytes, and the limit is ${number(attachmentBytes)}`);
    else if (kept.length === filesPerReport) warnings.leaveOut(file, TOO_MANY);
    else if (file.size > left) warnings.leaveOut(file, NO_ROOM);
    else {
      kept.push(file);
      left -= file.size;
    }
  }
  return kept;
}
