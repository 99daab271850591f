#include "shared/base/chart.h"

#include <math.h>

/* Distinct for colour-blind readers too (after Okabe and Ito, 2008). */
static const char *const COLOURS[CHART_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                   "#e69f00", "#56b4e9", "#555555", "#8c6d31"};

/* The drawing area and what maps data to it. */
struct frame {
    double left, top, width, height;
    struct chart_axis x, y;
};

static void put_escaped(FILE *to, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        default:
            fputc(*text, to);
        }
}

static void put_text(FILE *to, double x, double y, const char *style, const char *text)
{
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    put_escaped(to, text);
    fputs("</text>\n", to);
}

/* Decades on both sides of zero; near it linear. */
static double folded(const struct chart_axis *a, double value)
{
    return copysign(log10(1.0 + fabs(value) / a->linear), value);
}

static double scaled(const struct chart_axis *a, double value)
{
    if (a->linear > 0.0)
        return (folded(a, value) - folded(a, a->low)) / (folded(a, a->high) - folded(a, a->low));
    if (a->log)
        return log10(value / a->low) / log10(a->high / a->low);
    return (value - a->low) / (a->high - a->low);
}

static double page_x(const struct frame *f, double value)
{
    return f->left + f->width * scaled(&f->x, value);
}

static double page_y(const struct frame *f, double value)
{
    return f->top + f->height * (1.0 - scaled(&f->y, value));
}

double chart_round_step(double range, int wanted)
{
    double rough = range / wanted, power = pow(10.0, floor(log10(rough)));
    double share = rough / power;
    return power * (share < 1.5 ? 1.0 : share < 3.5 ? 2.0 : share < 7.5 ? 5.0 : 10.0);
}

static bool drawable(const struct chart_axis *a, double value)
{
    return isfinite(value) && (!a->log || value > 0.0);
}

/* Gives an axis without a range that of the data. */
static void fit_axis(struct chart_axis *a, const struct chart *c, bool vertical)
{
    if (a->low < a->high)
        return;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < c->line_count; i++)
        for (size_t k = 0; k < c->lines[i].count; k++) {
            double v = vertical ? c->lines[i].y[k] : c->lines[i].x[k];
            if (!drawable(a, v))
                continue;
            low = fmin(low, v);
            high = fmax(high, v);
        }
    if (!(low <= high)) { /* nothing to draw */
        low = a->log ? 1.0 : 0.0;
        high = a->log ? 10.0 : 1.0;
    }
    if (a->log) {
        a->low = pow(10.0, floor(log10(low)));
        a->high = fmax(pow(10.0, ceil(log10(high))), 10.0 * a->low);
        return;
    }
    double range = high - low > 0.0 ? high - low : fmax(fabs(high), 1.0);
    double step = chart_round_step(range, 6);
    a->low = step * floor(low / step + 1e-9);
    a->high = step * ceil(high / step - 1e-9);
    if (!(a->low < a->high)) {
        a->low -= step;
        a->high += step;
    }
}

/* Widens the axis that has the larger scale, so that circles look like circles. */
static void same_scale(struct frame *f)
{
    double x = (f->x.high - f->x.low) / f->width, y = (f->y.high - f->y.low) / f->height;
    struct chart_axis *a = x < y ? &f->x : &f->y;
    double range = x < y ? y * f->width : x * f->height, middle = 0.5 * (a->low + a->high);
    a->low = middle - 0.5 * range;
    a->high = middle + 0.5 * range;
}

/* One grid line with its number. */
static void draw_tick(FILE *to, const struct frame *f, bool vertical, double value, bool labelled)
{
    char number[32];
    double x = page_x(f, value), y = page_y(f, value), right = f->left + f->width;
    bool zero = fabs(value) < 1e-12 && !(vertical ? f->y.log : f->x.log);
    const char *colour = zero ? "#8a8a8a" : labelled ? "#dcdcdc" : "#efefef";
    (void)snprintf(number, sizeof number, "%.6g", zero ? 0.0 : value);
    if (vertical) {
        fprintf(to, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\"/>\n", f->left, y, right, colour);
        if (labelled)
            put_text(to, f->left - 6.0, y + 4.0, "text-anchor=\"end\"", number);
    } else {
        fprintf(to, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n", x, f->top, f->top + f->height,
                colour);
        if (labelled)
            put_text(to, x, f->top + f->height + 16.0, "text-anchor=\"middle\"", number);
    }
}

/* Zero, and on both sides of it decades with the twos and fives between. */
static void draw_folded(FILE *to, const struct frame *f, bool vertical)
{
    const struct chart_axis *a = vertical ? &f->y : &f->x;
    draw_tick(to, f, vertical, 0.0, true);
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i < 30; i++) {
            const double digits[] = {1.0, 2.0, 5.0};
            double value = side * a->linear * digits[i % 3] * pow(10.0, floor(i / 3.0));
            if (value >= a->low * (1.0 + 1e-9) - 1e-9 && value <= a->high * (1.0 + 1e-9))
                draw_tick(to, f, vertical, value, i % 3 == 0);
        }
}

static void draw_axis(FILE *to, const struct frame *f, bool vertical)
{
    const struct chart_axis *a = vertical ? &f->y : &f->x;
    if (a->linear > 0.0) {
        draw_folded(to, f, vertical);
    } else if (a->log) {
        int first = (int)floor(log10(a->low) + 1e-9), last = (int)ceil(log10(a->high) - 1e-9);
        bool few = a->high / a->low <= 100.0; /* decades alone would be too few numbers */
        for (int tick = 10 * first; tick <= 10 * last + 1; tick++) {
            int digit = tick - 10 * (int)floor(tick / 10.0);
            double value = digit * pow(10.0, floor(tick / 10.0));
            if (digit > 0 && value > a->low * 0.999 && value < a->high * 1.001)
                draw_tick(to, f, vertical, value,
                          digit == 1 || (few && (digit == 2 || digit == 5)));
        }
    } else {
        double pixels = vertical ? f->height : f->width;
        double step = chart_round_step(a->high - a->low, (int)(pixels / (vertical ? 45.0 : 70.0)));
        double first = ceil(a->low / step - 1e-9);
        for (int i = 0; i < 100 && (first + i) * step <= a->high + 1e-9 * step; i++)
            draw_tick(to, f, vertical, (first + i) * step, true);
    }
    double middle_x = f->left + 0.5 * f->width, middle_y = f->top + 0.5 * f->height;
    if (vertical)
        fprintf(to, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">", f->left - 46.0, middle_y);
    put_text(to, vertical ? 0.0 : middle_x, vertical ? 0.0 : f->top + f->height + 36.0,
             "text-anchor=\"middle\" font-size=\"13\"", a->label ? a->label : "");
    if (vertical)
        fputs("</g>\n", to);
}

static void draw_line(FILE *to, const struct frame *f, const struct chart_line *l)
{
    const char *colour = COLOURS[(unsigned)l->colour % CHART_COLOURS];
    bool open = false;
    if (l->dots) {
        for (size_t i = 0; i < l->count; i++)
            if (drawable(&f->x, l->x[i]) && drawable(&f->y, l->y[i]))
                fprintf(to, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.5\" fill=\"%s\"/>\n",
                        page_x(f, l->x[i]), page_y(f, l->y[i]), colour);
        return;
    }
    fprintf(to,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"%s "
            "d=\"",
            colour, l->dashed ? " stroke-dasharray=\"6 4\"" : "");
    for (size_t i = 0; i < l->count; i++) {
        bool draw = drawable(&f->x, l->x[i]) && drawable(&f->y, l->y[i]);
        if (draw)
            fprintf(to, "%c%.2f %.2f", open ? 'L' : 'M', page_x(f, l->x[i]), page_y(f, l->y[i]));
        open = draw;
    }
    fputs("\"/>\n", to);
}

/* Characters of UTF-8. */
static size_t characters(const char *text)
{
    size_t length = 0;
    for (; text && *text; text++)
        length += ((unsigned char)*text & 0xc0) != 0x80;
    return length;
}

static void draw_sample(FILE *to, const struct chart_line *l, double x, double y, double width)
{
    if (l->dots)
        fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", x + 0.5 * width, y,
                COLOURS[(unsigned)l->colour % CHART_COLOURS]);
    else
        fprintf(to, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"%s\" stroke-width=\"2.2\"%s/>\n", x, y,
                width, COLOURS[(unsigned)l->colour % CHART_COLOURS],
                l->dashed ? " stroke-dasharray=\"4 3\"" : "");
}

/* From the right end of the row of the title to the left. */
static void draw_row(FILE *to, const struct frame *f, const struct chart *c)
{
    double x = f->left + f->width, y = f->top - 12.0;
    for (size_t i = c->line_count; i-- > 0;) {
        const struct chart_line *l = &c->lines[i];
        if (!l->name)
            continue;
        x -= 7.0 * (double)characters(l->name);
        put_text(to, x, y, "", l->name);
        x -= 20.0;
        draw_sample(to, l, x, y - 4.0, 15.0);
        x -= 8.0;
    }
}

static void draw_legend(FILE *to, const struct frame *f, const struct chart *c)
{
    const char *heading = c->legend_title;
    size_t entries = 0, longest = characters(heading);
    if (c->legend == CHART_ABOVE) {
        draw_row(to, f, c);
        return;
    }
    for (size_t i = 0; i < c->line_count; i++) {
        size_t length = characters(c->lines[i].name);
        entries += c->lines[i].name != NULL;
        longest = length + 4 > longest && c->lines[i].name ? length + 4 : longest;
    }
    if (!entries)
        return;
    double width = 20.0 + 6.6 * (double)longest, height = 10.0 + 17.0 * (double)entries;
    height += heading ? 17.0 : 0.0;
    bool right = c->legend == CHART_TOP_RIGHT || c->legend == CHART_BOTTOM_RIGHT;
    bool top = c->legend == CHART_TOP_RIGHT || c->legend == CHART_TOP_LEFT;
    double x = right ? f->left + f->width - width - 8.0 : f->left + 8.0;
    double y = top ? f->top + 8.0 : f->top + f->height - height - 8.0;
    fprintf(to,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" fill=\"#fff\" "
            "fill-opacity=\"0.85\" stroke=\"#dcdcdc\"/>\n",
            x, y, width, height);
    y += 18.0;
    if (heading) {
        put_text(to, x + 8.0, y, "font-weight=\"bold\"", heading);
        y += 17.0;
    }
    for (size_t i = 0; i < c->line_count; i++) {
        const struct chart_line *l = &c->lines[i];
        if (!l->name)
            continue;
        fprintf(to, "<path d=\"M%.1f %.1fh20\" stroke=\"%s\" stroke-width=\"2.2\"%s/>\n", x + 8.0,
                y - 4.0, COLOURS[(unsigned)l->colour % CHART_COLOURS],
                l->dashed ? " stroke-dasharray=\"6 4\""
                : l->dots ? " stroke-dasharray=\"3 5\""
                          : "");
        put_text(to, x + 34.0, y, "", l->name);
        y += 17.0;
    }
}

void chart_draw(FILE *to, const struct chart *chart, double left, double top, double width,
                double height)
{
    struct frame f = {left + 66.0, top + 34.0, width - 84.0, height - 84.0, chart->x, chart->y};
    fit_axis(&f.x, chart, false);
    fit_axis(&f.y, chart, true);
    if (chart->same_scale && !f.x.log && !f.y.log)
        same_scale(&f);
    put_text(to, f.left, top + 22.0, "font-size=\"15\" font-weight=\"bold\"",
             chart->title ? chart->title : "");
    draw_axis(to, &f, false);
    draw_axis(to, &f, true);
    fprintf(to,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#8a8a8a\"/>\n",
            f.left, f.top, f.width, f.height);
    /* An inner picture clips what leaves the axes. */
    fprintf(to,
            "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "viewBox=\"%.1f %.1f %.1f %.1f\">\n",
            f.left, f.top, f.width, f.height, f.left, f.top, f.width, f.height);
    for (size_t i = 0; i < chart->line_count; i++)
        draw_line(to, &f, &chart->lines[i]);
    fputs("</svg>\n", to);
    draw_legend(to, &f, chart);
}

void chart_begin(FILE *to, double width, double height, const char *heading)
{
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
            "font-size=\"12\" fill=\"#222\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, height, width, height);
    put_text(to, 20.0, 32.0, "font-size=\"20\" font-weight=\"bold\"", heading);
}

void chart_text(FILE *to, double left, double top, const char *text)
{
    put_text(to, left, top, "fill=\"#555\"", text);
}

void chart_end(FILE *to)
{
    fputs("</svg>\n", to);
}
