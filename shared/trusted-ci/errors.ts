/** Errors of Trusted CI. None tells a stranger what a project trusts. */
import { ApiError, alreadyExists, invalidRequest } from '#shared/engine/errors.ts';

/** Never 5xx, because the service itself works, and one organization's broken issuer must not alarm the operator. */
export const issuerSilent = (seconds: number) =>
  new ApiError(409, 'The keys of the issuer of this identity token cannot be read. Try again in a few seconds', {
    code: 'issuer_unavailable',
    headers: { 'Retry-After': String(seconds) },
  });

export const tooManyRepositories = (limit: number) =>
  new ApiError(409, `The project already trusts the maximum of ${limit} repositories. Remove one first`);

export const repositoryListed = () =>
  alreadyExists('This repository', 'Remove it first, if it was deleted and created again');

export const issuerProblem = (problem: string) => invalidRequest(problem, ['issuer']);
