/** Where results come from, as the identity token of a CI job says. */

export const CI_PROVIDER_NAMES = ['github', 'gitlab'] as const;
export type CiProvider = (typeof CI_PROVIDER_NAMES)[number];

export interface Origin {
  /** The entry in the project's list of trusted repositories that let the job in. */
  readonly trustId: string;
  readonly provider: CiProvider;
  readonly issuer: string;
  /** Such as `acme/shop`. */
  readonly repository: string;
  readonly repositoryId: string;
  /** What started the build, such as `push`. */
  readonly event: string;
  /** Such as `refs/heads/main`. */
  readonly ref: string;
  /** The commit that the token names. For a pull request, this may be a temporary merge commit. */
  readonly sha: string;
  /** Whether the tests ran on `sha`. If not, the job itself named the commit of the run. */
  readonly provesCommit: boolean;
  /** Who started the build. */
  readonly person?: string;
  /** The file that defines the job, with its version. */
  readonly workflow?: string;
}

/** The build to which a recording credential is bound, and what is known about it. */
export interface CiBuild {
  readonly projectId: string;
  /** The id that clients derive from the variables of the CI system. */
  readonly ciBuildId: string;
  /** The members of a CI job that the token proves, see `ci-job.ts`. */
  readonly job: { readonly build?: string; readonly attempt?: number; readonly id?: string };
  readonly remoteOrigin: string;
  readonly branch?: string;
  readonly sha?: string;
  readonly pullRequest?: string;
  readonly origin: Origin;
}

/** Whether both are of the same repository and commit. Jobs of one build may be let in by several entries. */
export const isSameOrigin = (one: Origin, other: Origin): boolean =>
  one.issuer === other.issuer && one.repositoryId === other.repositoryId && one.sha === other.sha;
