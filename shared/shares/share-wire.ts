/** §5.3 Shares in the API: request and response schemas. */
import * as z from 'zod';
import { dateTime, formatIsoTime } from '#shared/engine/http/date-time.ts';
import { SHARE_PURPOSES, type Share } from '#shared/model/organizations/share.ts';
import { targetMembers } from '#shared/results/executions/target-wire.ts';
import { SHARE_LIMITS } from './limits.ts';

const purpose = z.enum(SHARE_PURPOSES).meta({
  description: 'What the link is for. `report`: people read it. `fix`: an agent gets the whole failure context',
});

export const NewShare = z.strictObject({
  ...targetMembers,
  purpose: purpose.default('report'),
  expiresInDays: z
    .literal(SHARE_LIMITS.days)
    .default(SHARE_LIMITS.defaultDays)
    .meta({ description: 'Days until the link expires. The organization may allow fewer' }),
});
export type NewShare = z.output<typeof NewShare>;

const { runId, instanceId, testId } = targetMembers;

/** The ids of the run, spec file or test that a page or a form shares. */
export const sharedIds = { runId, instanceId, testId, attempt: z.preprocess(parseNumber, targetMembers.attempt) };

/** Forms send numbers as text. */
function parseNumber(value: unknown): unknown {
  return typeof value === 'string' && value !== '' ? Number(value) : value;
}

export const ShareForm = z.object({
  ...sharedIds,
  purpose,
  expiresInDays: z.preprocess(parseNumber, z.literal(SHARE_LIMITS.days)),
});

export const SharingForm = z.object({
  shareDays: z.preprocess(parseNumber, z.literal([0, ...SHARE_LIMITS.days])),
  aiMayRead: z
    .literal('true')
    .optional()
    .transform((value) => value === 'true'),
});

export const ShareWire = z
  .object({
    shareId: z.string(),
    projectId: z.string(),
    runId: z.string(),
    instanceId: z.string().nullable(),
    testId: z.string().nullable(),
    attempt: z.int().nullable(),
    purpose,
    label: z.string().meta({ description: 'Title of the test, path of the spec file, or CI build id of the run' }),
    createdBy: z.string().meta({ description: 'Account id of the person who created the share' }),
    createdAt: dateTime,
    expiresAt: dateTime,
    opens: z.int().meta({ description: 'How many times the link was opened' }),
    lastOpenedAt: dateTime.nullable(),
  })
  .meta({ id: 'Share' });
export type ShareWire = z.infer<typeof ShareWire>;

export const CreatedShare = ShareWire.extend({
  url: z.string().meta({ format: 'uri', description: 'The link. It is shown only once' }),
  markdown: z.string().meta({ description: 'The title with the link, for a chat' }),
}).meta({ id: 'CreatedShare' });
export type CreatedShare = z.infer<typeof CreatedShare>;

export const OnlyShareId = z.object({ shareId: z.string() });

export const presentShare = (share: Share): ShareWire => ({
  shareId: share.shareId,
  projectId: share.projectId,
  runId: share.runId,
  instanceId: share.instanceId ?? null,
  testId: share.testId ?? null,
  attempt: share.attempt ?? null,
  purpose: share.purpose,
  label: share.label,
  createdBy: share.accountId,
  createdAt: formatIsoTime(share.createdAt),
  expiresAt: formatIsoTime(share.expiresAt * 1000),
  opens: share.opens,
  lastOpenedAt: share.lastOpenedAt === undefined ? null : formatIsoTime(share.lastOpenedAt),
});
