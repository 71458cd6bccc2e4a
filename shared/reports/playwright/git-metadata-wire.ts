/** The commit that Playwright writes into the metadata of a report, for example with `captureGitInfo`. */
import * as z from 'zod';
import { orNull, textField } from '#shared/reports/json-fields-wire.ts';
import type { ParsedFile } from '#shared/reports/report.ts';

const Metadata = z.object({
  gitCommit: orNull(
    z.object({
      hash: textField,
      branch: textField,
      subject: textField,
      body: textField,
      author: orNull(z.object({ name: textField, email: textField })),
    }),
  ),
  ci: orNull(z.object({ commitHash: textField, branch: textField })),
});

export function parseCommit(metadata: unknown): ParsedFile['commit'] {
  const { gitCommit, ci } = Metadata.safeParse(metadata).data ?? {};
  const facts = {
    sha: gitCommit?.hash || ci?.commitHash,
    branch: gitCommit?.branch || ci?.branch,
    authorName: gitCommit?.author?.name,
    authorEmail: gitCommit?.author?.email,
    message: gitCommit?.body || gitCommit?.subject,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value));
}
