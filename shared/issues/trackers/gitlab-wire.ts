/** The parts of GitLab's responses that issues need. */
import * as z from 'zod';
import { pageAddress, shownText } from './text-wire.ts';

export const User = z.object({ username: z.string() });
export const Project = z.object({
  path_with_namespace: z.string(),
  name_with_namespace: z.string(),
  issues_enabled: z.boolean().optional(),
  issues_access_level: z.string().optional(),
});
export const Issue = z.object({
  iid: z.int().positive(),
  web_url: pageAddress,
  title: shownText,
  state: z.string(),
  description: z.string().nullish(),
});

export const Projects = z.array(Project);
export type GitlabProject = z.output<typeof Project>;
export const Issues = z.array(Issue);
export type GitlabIssue = z.output<typeof Issue>;
