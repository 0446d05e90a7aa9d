/** A line is a wish, `title | text`; one that begins with `!` is none, as searches find them. `{p}` is the name of a product. */
export const darkMode = `
Dark mode that follows the system setting | My laptop switches to dark at sunset and {p} stays blinding white. Please follow the operating system.
Dark theme should follow the OS setting | Windows already knows whether I want light or dark. {p} ignores it, so I flip the switch by hand twice a day.
Follow the system's light and dark setting automatically | Every other app on my phone changes at 8 pm except {p}. A third option beside light and dark, called automatic, would do.
Please add a dark mode | I read documents at night next to a sleeping baby. Even an ugly first version helps.
Dark mode for {p} | White background, bright monitor, migraine. There is not much more to say.
Still no dark mode? | I like everything else about {p}, but after ten at night I close it because of the glare.
A true black theme for OLED screens | The current dark theme is dark grey. On an OLED phone pure black saves battery and looks calmer.
AMOLED black as a third theme | Grey on grey is washed out on my phone. Dark mode with #000000 as the background, please.
Dark mode for printed previews is wrong way round | When I preview a page in dark mode the paper should still be white, since that is what the printer will use.
Schedule dark mode by time of day | I work in an office with no windows, so the sun means nothing to me. Let me say dark from 17:00 to 9:00.
Per-workspace dark mode | Production in dark red, staging in light: I would stop typing commands into the wrong one.
Dark mode in the embedded widget | Our site is dark, and the widget of {p} sits in it like a lamp. A data-theme attribute on the script tag would be enough.
High contrast dark theme | The dark mode uses grey text on a slightly darker grey, which I cannot read with my eyes. A contrast of 7 to 1 would make it usable.
Dark mode: code blocks stay light | Everything turns dark except code blocks, which stay white and hurt twice as much. I would love to see the syntax colours follow the theme.
Dark e-mail notifications | The app has dark mode, the mails it sends do not. In a dark mail client they come out half inverted and unreadable.
Custom accent colour in dark mode | The default purple is hard to tell from the background. Letting people choose one colour would cover most complaints.
Remember dark mode per device | On the desktop I want light, on the tablet in bed dark. {p} syncs the choice, so I change it every single evening.
Dark mode for charts and graphs | Lines that were chosen for a white page vanish on a dark one. Could you add a second palette?
Let me choose sepia as well as dark mode | Dark mode makes letters swim for people with astigmatism. A warm paper tone would be my favourite.
Dark mode toggle in the command palette | The switch is four clicks deep in the settings. I wish I could type "dark" and press enter.
Respect prefers-color-scheme on the login page | Sign-in is the one page without dark mode. At 6 am that flash is an experience.
Dark mode for exported HTML | When I share a page as HTML, readers get a light page whatever they prefer. One media query in the template would solve it.
Invert images in dark mode, optionally | Diagrams with a transparent background and black lines become invisible. A small button on the picture that inverts it would be nice.
Dark scrollbars in dark mode | It sounds petty, but two bright bars on a dark window are all that I see.
! Dark mode crashes after the last update | Since yesterday {p} closes when I open the appearance settings. Version 4.2.1, log attached.
! Which dark mode do you like best? | Just curious what people use, no agenda.
! Streetlights and moths | Darker roads seem to help the insects, says a study from Utrecht.
! A railway in the attic | My father built a model station with working lamps, and it is dark up there.
`

export const accessibility = `
Screen reader support for the sidebar | The accessibility of {p} is good in the editor, but the sidebar is announced as "button button button". Names for those buttons would help.
Announce new messages to screen readers | I do not notice that somebody answered until I walk through the list again. A polite live region would be the right accessibility tool.
Keyboard focus should be visible everywhere | With a keyboard I lose track of where I am as soon as I leave the form. It is the first item of any accessibility checklist.
Respect the reduced motion setting | Pages slide in from the left and I feel sick. Accessibility settings of the system already say that I do not want that.
Larger text without breaking the layout | At 200 % the save button is off the screen. I wish accessibility were tested with zoom as well.
Captions for the tutorial videos | I am deaf and the introduction is only spoken. Please add captions, or a transcript beside it.
Alternative text for uploaded pictures | There is no field for it, so everything we publish with {p} fails our accessibility audit.
Do not use colour alone for states | Red and green dots are the same dot to me. An icon or a word beside them would fix the accessibility of the whole board.
Label the icons in the toolbar | Twelve icons without names are a guessing game, and not only with a screen reader.
A setting for dyslexia-friendly fonts | My son uses {p} at school and would read twice as fast with another font. It would be nice if accessibility included a choice of typeface.
Skip link to the main content | Forty tab presses until I reach the list. One link at the top of the page is all that accessibility needs here.
Bigger touch targets on phones | My hands shake and the close button is the size of a grain of rice.
Accessible drag and drop | Cards can only be moved with a mouse. A menu with "move up" and "move to" would let everybody take part.
Read tables row by row | Data tables have no headers for my screen reader, so a cell is just a number without a meaning. Accessibility would be solved by proper table markup.
Voice control names | Dragon cannot find buttons whose visible text and hidden name differ. Accessibility guidelines call that "label in name".
Publish an accessibility statement | Our procurement asks for a VPAT and we cannot buy {p} without one.
Long press should not be the only way | Some functions exist only behind a long press, which my mouth stick cannot do.
Extend the session timeout on request | I type slowly and am signed out before the form is finished. Accessibility rules ask for a warning and more time.
`
