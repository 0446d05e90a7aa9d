// What is said where a goal was not compared with news. Also read by the page and by the command, which load nothing else of the service.

/** Where no model is configured that compares. */
export const goalChangesNothing = 'The goal changes nothing: this service has no model that compares news with it.'

/** Where there is one that did not compare some of the new wishes: it failed, or its texts of the day were used up. */
export const notComparedWithGoal = (wishes: number): string =>
  `The model did not compare ${wishes === 1 ? 'one of the new wishes' : `${wishes.toLocaleString('en-US')} of the new wishes`} with the goal.`
