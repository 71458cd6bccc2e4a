/**
 * What the role of the calling function refuses, for a client that sends requests without `node:http`. In the packages
 * that functions share, `shared-packages.ts` replaces this module. Elsewhere nobody is held to a role.
 */
export type RefuseCall = (target: string, request: unknown) => string | undefined;

/** The name under which shared packages require this module. */
export const ROLE_OF_CALLER = '#infra/local/lambda/role-of-caller.ts';

/** The reason why the caller may not send the request, or `undefined`. `target` is the header `x-amz-target`. */
export const refuseCall: RefuseCall = () => undefined;
