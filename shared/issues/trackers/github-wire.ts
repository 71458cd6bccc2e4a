/** The parts of GitHub's responses that issues need. */
import * as z from 'zod';
import { pageAddress, shownText } from './text-wire.ts';

export const User = z.object({ login: z.string() });
export const Repository = z.object({
  full_name: z.string(),
  has_issues: z.boolean().optional(),
  archived: z.boolean().optional(),
});
export const Issue = z.object({
  number: z.int().positive(),
  html_url: pageAddress,
  title: shownText,
  state: z.string(),
  state_reason: z.string().nullish(),
  body: z.string().nullish(),
  pull_request: z.unknown().optional(),
});

export const Repositories = z.array(Repository);
export const Issues = z.array(Issue);
export type GithubIssue = z.output<typeof Issue>;
