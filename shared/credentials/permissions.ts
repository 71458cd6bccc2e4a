/** §5.2, §5.3 What a credential may be allowed to do, and how §5.1's two levels relate to it. */
type Permission = 'projects:read' | 'projects:write' | 'results:read' | 'runs:write';

/** What an operation asks for: a permission, any credential at all, the right to record (API keys only), or nothing. */
export type Requirement = Permission | 'anyCredential' | 'record' | 'public';

/** §5.1 Read Only reaches what changes nothing. */
export const changesSomething = (requirement: Requirement): boolean =>
  requirement === 'record' || requirement.endsWith(':write');
