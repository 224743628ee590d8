/** The viewer of most screens. */
export const VIEWER = 'ada@example.com'
/** Too wide for every screen. */
export const LONG_NAME = 'maximiliane.mustermann-schmidt@subsidiary.very-long-company-name.example'
