/** What the steps of an import share. */
import type { Actor } from '#shared/access/actor.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import type { CoreServices } from '#shared/services.ts';
import type { Manifest, Part } from './archive-format.ts';
import type { ArchiveStore } from './archive-store.ts';
import type { ArchivedOrganization } from './archived-organization.ts';
import type { Bucket } from './bucket.ts';
import type { Recognize } from './row-owner.ts';
import type { Pace } from './table-scan.ts';

export interface ImportTargets {
  readonly services: CoreServices;
  readonly bucket: Bucket;
  readonly recognize: Recognize;
  readonly archive: ArchiveStore;
  readonly pace: Pace;
  readonly actor: Actor;
  /** Asks whether people who have an account here may become members. Throws if they may not. */
  readonly approve: (members: readonly ExistingMember[]) => Promise<void>;
}

/** A member of the archive who has an account here. */
export interface ExistingMember {
  readonly account: Account;
  readonly role: Role | undefined;
}

export interface ImportProgress {
  readonly step: 'checked' | 'compared' | 'imported';
  readonly rows: number;
  readonly files: number;
}

export interface ImportContext extends ImportTargets {
  readonly onProgress: (soFar: ImportProgress) => void;
  readonly manifest: Manifest;
  /** Identifies the archive. */
  readonly digest: string;
  readonly organizationId: string;
  readonly organization: Omit<ArchivedOrganization, 'limits'>;
  readonly now: number;
  /** The parts in the order in which they are imported. */
  readonly parts: readonly Part[];
}
