/** The limits of Jira's API, and the parts of its responses that issues need. */
import * as z from 'zod';
import { shownText } from './text-wire.ts';

export const JIRA_LIMITS = {
  /** Jira refuses a description or a comment of more than 32,767 characters. */
  textCharacters: 32_000,
  /** The maximum number of issue types and fields that are read. */
  perPage: 100,
} as const;

export const Account = z.object({ displayName: z.string().optional(), name: z.string().optional() });
const Project = z.object({ id: z.string(), key: z.string(), name: z.string() });
export const AllProjects = z.array(Project);
export const Projects = z.object({
  values: z.array(Project),
  total: z.int().optional(),
  isLast: z.boolean().optional(),
});
const IssueType = z.object({ id: z.string(), name: z.string(), subtask: z.boolean().optional() });
/** Cloud sends the list as `issueTypes`, and Data Center as `values`. */
export const IssueTypes = z.object({
  issueTypes: z.array(IssueType).optional(),
  values: z.array(IssueType).optional(),
});
const Option = z.object({ id: z.string(), value: z.string().optional(), name: z.string().optional() });
const Field = z.object({
  fieldId: z.string(),
  name: z.string(),
  schema: z.object({ type: z.string() }).optional(),
  allowedValues: z.array(Option).optional().catch(undefined),
});
export const Fields = z.object({ fields: z.array(Field).optional(), values: z.array(Field).optional() });
export const CreatedIssueKey = z.object({ key: z.string() });
const Status = z.object({ name: shownText, statusCategory: z.object({ key: z.string() }).optional() });
export const Issue = z.object({ key: z.string(), fields: z.object({ summary: shownText, status: Status }) });
export const SearchResult = z.object({
  issues: z.array(
    z.object({
      key: z.string(),
      fields: z.object({ labels: z.array(z.string()).nullish(), description: z.unknown().optional() }),
    }),
  ),
});
export const Transitions = z.object({ transitions: z.array(z.object({ id: z.string(), to: Status })) });
export const Refusal = z.object({
  errorMessages: z.array(z.string()).optional(),
  errors: z.record(z.string(), z.string()).optional(),
  message: z.string().optional(),
});

export type JiraProject = z.output<typeof Project>;
export type JiraField = z.output<typeof Field>;
export type JiraStatus = z.output<typeof Status>;
