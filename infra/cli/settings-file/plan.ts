/** The steps of a plan: what has to change so that an organization has the settings of a file. */
import type { Actor } from '#shared/access/actor.ts';
import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { TrackerConnection } from '#shared/issues/open-integration.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import type { FieldChange } from './fields.ts';

/** Secrets and issue trackers are connected only when a change needs them. */
export interface Tools extends CoreServices, Pick<Services, 'privateReceivers'> {
  readonly origin: () => Promise<string>;
  readonly secrets: () => Promise<Pick<Secrets, 'put' | 'remove'>>;
  readonly trackers: () => Promise<Pick<TrackerConnection, 'ownNetwork'> & { readonly secrets: Secrets }>;
}

/** A change of the organization itself does not read `projectId`. */
export interface Target {
  readonly organizationId: string;
  readonly projectId: string;
  readonly actor: Actor;
}

export interface Subject {
  readonly kind: 'sharing' | 'integration' | 'project' | 'rule' | 'webhook' | 'notification' | 'issues';
  readonly name: string;
  readonly id?: string | undefined;
}

export const SUBJECT_NOUNS: Readonly<Record<Subject['kind'], string>> = {
  sharing: 'sharing settings',
  integration: 'connection',
  project: 'project',
  rule: 'rule',
  webhook: 'webhook',
  notification: 'notification',
  issues: 'issue automation',
};

/** The object as a phrase, such as `rule "Skip slow tests"`. */
export const formatSubject = ({ kind, name }: Pick<Subject, 'kind' | 'name'>): string =>
  kind === 'sharing' || kind === 'issues' ? SUBJECT_NOUNS[kind] : `${SUBJECT_NOUNS[kind]} "${makeVisibleLine(name)}"`;

export type CreatedObject =
  | { readonly what: 'project'; readonly projectId: string }
  /** The secret is shown once. */
  | { readonly what: 'signing secret'; readonly secret: string };

export interface Change extends Subject {
  readonly verb: 'create' | 'change' | 'remove';
  readonly fields: readonly FieldChange[];
  /** What else people should know, such as what is lost. */
  readonly note?: string;
  /** Calls `onCreated` as soon as something exists, because a later step of the change may fail. */
  readonly run: (tools: Tools, target: Target, onCreated: (createdObject: CreatedObject) => void) => Promise<unknown>;
}

/** A difference that only a person can remove, because that takes a secret, such as a token. */
export interface Manual extends Subject {
  readonly fields: readonly FieldChange[];
  /** What to do, as a sentence without a full stop. */
  readonly todo: string;
}

export type Step = Change | Manual;
