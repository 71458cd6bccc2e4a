/**
 * What the role of the calling function refuses, for a client that sends requests without `node:http`. In the packages
 * that functions share, `shared-packages.ts` replaces this module. Elsewhere nobody is held to a role.
 */
export type RefuseCall = (target: string, request: unknown) => string | undefined;

/** The name under which shared packages require this module. */
export const ROLE_OF_CALLER = '#infra/local/lambda/role-of-caller.ts';

/** The reason why the caller may not send the request, or `undefined`. `target` is the header `x-amz-target`. */
export const refuseCall: RefuseCall = () => undefined;

/** Gets the JSON of a request that has written to the table. */
export type NoteWrite = (request: string) => void;

/** Tells the runner that the calling function has written to the table. Elsewhere nobody needs to know. */
export const noteWrite: NoteWrite = () => {};
