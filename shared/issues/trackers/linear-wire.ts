/** The parts of Linear's responses that issues need. */
import * as z from 'zod';
import { pageAddress, shownText } from './text-wire.ts';

export const Failures = z.object({
  errors: z
    .array(
      z.object({
        message: z.string(),
        extensions: z
          .object({
            code: z.string().nullish(),
            statusCode: z.number().nullish(),
            userPresentableMessage: z.string().nullish(),
          })
          .optional(),
      }),
    )
    .min(1),
});

/** Reads a malformed response as a response without data, which the schema of the operation then refuses. */
export const Data = z.object({ data: z.record(z.string(), z.unknown()).nullish() }).catch({});

const State = z.object({ name: shownText, type: z.string() });
const Issue = z.object({
  id: z.string(),
  identifier: z.string(),
  url: pageAddress,
  title: shownText,
  trashed: z.boolean().nullish(),
  state: State,
});
/** The fields of an issue that operations select. */
export const ISSUE = 'id identifier url title trashed state { name type }';

export const Viewer = z.object({ viewer: z.object({ name: z.string() }) });
export const Teams = z.object({
  teams: z.object({
    nodes: z.array(z.object({ id: z.string(), key: z.string(), name: z.string() })),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
  }),
});
export const Team = z.object({ team: z.object({ id: z.string() }) });
export const OneIssue = z.object({ issue: Issue });
export const CreatedIssue = z.object({ issueCreate: z.object({ issue: Issue }) });
export const Workflow = z.object({
  issue: z.object({
    team: z.object({ states: z.object({ nodes: z.array(State.extend({ id: z.string(), position: z.number() })) }) }),
  }),
});
export const CreatedComment = z.object({ commentCreate: z.object({ success: z.literal(true) }) });
export const UpdatedIssue = z.object({ issueUpdate: z.object({ success: z.literal(true) }) });

export type LinearFailure = z.output<typeof Failures>['errors'][number];
export type LinearTeams = z.output<typeof Teams>;
export type LinearIssue = z.output<typeof Issue>;
