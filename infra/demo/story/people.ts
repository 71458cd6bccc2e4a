/** The people of the demo organization, by role. Three of them author commits. */
export const PEOPLE = { admin: 'Robin', actionsAdmin: 'Kim', member: 'Sam', guest: 'Alex' } as const;

export type Author = Exclude<keyof typeof PEOPLE, 'guest'>;

export const toDemoEmail = (role: keyof typeof PEOPLE): string => `${role}@demo.example`;
