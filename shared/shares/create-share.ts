import { createSecret, hashToken } from '#shared/access/token.ts';
import { document, link, paragraph } from '#shared/context/markdown/nodes.ts';
import { serializePage } from '#shared/context/markdown/serialize.ts';
import { DAY_SECONDS } from '#shared/engine/durations.ts';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { composeDatedId, DATED_RANDOM_CHARACTERS } from '#shared/model/ids.ts';
import { getSharesSpan, type Share, shares, sharesOfProject } from '#shared/model/organizations/share.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { reserveRoom } from '#shared/organizations/room-for-one.ts';
import { getSharingSettings, refuseAi } from '#shared/organizations/sharing-settings.ts';
import type { OrganizationRequest } from '#shared/organizations/standing.ts';
import { findTarget } from '#shared/results/executions/find-target.ts';
import type { Services } from '#shared/services.ts';
import { sharesOff, shareTooLong, tooManyShares } from './errors.ts';
import { SHARE_LIMITS } from './limits.ts';
import { type CreatedShare, type NewShare, presentShare } from './share-wire.ts';

export const SHARE_PREFIX = 'rdn_shr';

interface Creation extends OrganizationRequest {
  readonly input: NewShare;
}

export async function createShare(
  services: Services,
  { organizationId, actor, formId, repetition, input }: Creation,
): Promise<CreatedShare> {
  const { table, now, randomId, origin } = services;
  const { run, label, ...target } = await findTarget(services, { ...input, organizationId });
  const { projectId } = run;
  const change = { organizationId, actor, formId, repetition, action: 'shares:write' } as const;
  return changeOrganization(services, change, async ({ organization, membership }) => {
    const { shareDays: days, aiMayRead } = getSharingSettings(organization);
    if (days === 0) throw sharesOff();
    if (input.expiresInDays > days) throw shareTooLong(days);
    if (input.purpose === 'fix') refuseAi({ aiMayRead });
    const limit = SHARE_LIMITS.sharesPerProject;
    const span = getSharesSpan({ organizationId, projectId });
    const turn = await reserveRoom(services, {
      organizationId,
      projectId,
      what: 'shares',
      limit,
      count: async () => (await table.query(sharesOfProject, span, { limit, consistent: true })).rows.length,
      refusal: tooManyShares,
    });
    const secret = createSecret(SHARE_PREFIX);
    // A share must not be older than the membership of its creator, even with clock skew.
    const createdAt = Math.max(now(), membership?.startedAt ?? 0);
    const share: Share = {
      ...target,
      organizationId,
      projectId,
      accountId: membership?.accountId ?? '',
      shareId: composeDatedId({ projectId, createdAt, random: randomId(DATED_RANDOM_CHARACTERS) }),
      hash: hashToken(secret),
      purpose: input.purpose,
      label: takeFirstCharacters(makeVisibleLine(label), SHARE_LIMITS.labelCharacters),
      createdAt,
      expiresAt: Math.floor(createdAt / 1000) + input.expiresInDays * DAY_SECONDS,
      opens: 0,
    };
    const url = `${origin}/shared#${secret}`;
    return {
      result: { ...presentShare(share), url, markdown: formatShareMarkdown(share.label, url) },
      writes: [put(shares, share, ABSENT), put(sharesOfProject, share), turn],
      inProject: share,
      record: {
        action: 'share created',
        subject: share.shareId,
        label: share.label,
        detail: `${input.purpose}, for ${input.expiresInDays} ${input.expiresInDays === 1 ? 'day' : 'days'}`,
      },
    };
  });
}

/** A link to a share as Markdown for a chat. The title may come from a test, so it is escaped. */
const formatShareMarkdown = (label: string, url: string): string =>
  serializePage(document(paragraph(link(label, url)))).trimEnd();
